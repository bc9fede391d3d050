from lazyarr._core.transforms.vjp import NotDifferentiable
from lazyarr.stubs.transforms import (
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    laplacian,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)

__all__ = ["NotDifferentiable", "custom_jvp", "custom_vjp", "grad", "hessian", "hvp", "jacobian", "jvp", "laplacian",
           "stop_gradient", "value_and_grad", "vjp", "vmap"]
