"""Derivatives, built as graphs before anything is evaluated: the loss and all its gradients are one graph."""
from lazyarr._core.array import install
from lazyarr._core.tape import NotDifferentiable
from lazyarr.autodiff import rules as rules
from lazyarr.autodiff.batching import vmap
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

__all__ = ["NotDifferentiable", "grad", "hessian", "hvp", "jacobian", "jvp", "laplacian", "stop_gradient",
           "value_and_grad", "vjp", "vmap"]

install({"grad": gradient_of})
