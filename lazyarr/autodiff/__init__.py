"""Derivatives, built as graphs before anything is evaluated: the loss and all its gradients are one graph."""
from lazyarr._core.frontend.lazy_array import install
from lazyarr._core.transforms.vjp import NotDifferentiable
from lazyarr.autodiff import assignment_vjps as assignment_vjps
from lazyarr.autodiff import composed_vjps as composed_vjps
from lazyarr.autodiff import eager_substitutes as eager_substitutes
from lazyarr.autodiff import fourier_vjps as fourier_vjps
from lazyarr.autodiff import linalg_vjps as linalg_vjps
from lazyarr.autodiff import product_vjps as product_vjps
from lazyarr.autodiff import ufunc_vjps as ufunc_vjps
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
from lazyarr.autodiff.vmap_transform import vmap

__all__ = ["NotDifferentiable", "custom_jvp", "custom_vjp", "grad", "hessian", "hvp", "jacobian", "jvp", "laplacian",
           "stop_gradient", "value_and_grad", "vjp", "vmap"]

install({"grad": gradient_of})
