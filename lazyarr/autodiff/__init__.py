"""Derivatives, built as graphs before anything is evaluated: the loss and all its gradients are one graph."""
from lazyarr._core.array import install
from lazyarr._core.tape import NotDifferentiable
from lazyarr.autodiff import assignment_rules as assignment_rules
from lazyarr.autodiff import composed_rules as composed_rules
from lazyarr.autodiff import fourier_rules as fourier_rules
from lazyarr.autodiff import linalg_rules as linalg_rules
from lazyarr.autodiff import product_rules as product_rules
from lazyarr.autodiff import recorded as recorded
from lazyarr.autodiff import rules as rules
from lazyarr.autodiff.batching import vmap
from lazyarr.autodiff.custom import custom_jvp, custom_vjp
from lazyarr.autodiff.transform import (
    grad,
    gradient_of,
    hessian,
    hvp,
    jacobian,
    jvp,
    laplacian,
    stop_gradient,
    value_and_grad,
    vjp,
)

__all__ = ["NotDifferentiable", "custom_jvp", "custom_vjp", "grad", "hessian", "hvp", "jacobian", "jvp", "laplacian",
           "stop_gradient", "value_and_grad", "vjp", "vmap"]

install({"grad": gradient_of})
