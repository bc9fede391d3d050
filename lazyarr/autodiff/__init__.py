"""Derivatives, built as graphs before anything is evaluated: the loss and all its gradients are one graph.

    transform         grad, vjp, jvp
    jacobians         jacobian, hessian, hvp, laplacian
    vmap_transform    vmap; `vmap_rules` for NumPy's functions on stacks
    custom            custom_jvp, custom_vjp
    ufunc_vjps, product_vjps, linalg_vjps, fourier_vjps, composed_vjps, assignment_vjps    rules, a file per family
    cofactors         derivatives of determinants, singular matrices included
    trees             nested containers of arrays
    callable_wrapper  objects that stand for a function, as decorators return them

`_core.transforms.vjp` walks the graph; rules are found by name or as the attribute `pull_back` of the called function:
rule(cotangent, result, operands, wanted). A rule by name also gets the call's `keywords`. The shortest rule is a
composition (`by_composition`): differentiable operations that compute the same, through which the rule pulls back; its
graph is cut at copies of the operands, because it is built in the middle of a walk.

`custom_vjp`, `custom_jvp` and `checkpoint` are calls that pass on what was computed and have the rule as their
`pull_back`. Checkpointed graphs are built again on operands that wait for the cotangent, so no pass joins the copies.
`jacobian`, `hessian` and `laplacian` are `vmap` over directions: all rows are one graph.

While history is kept, nested lists are stacked without evaluation, iteration gives arrays, assignments wait, and
functions that otherwise run at once are composed (`numpy_fallback.RECORDED`) or wait (`eig`, `lstsq`).

tests/autodiff/test_every_operation.py checks first and second derivatives of every example line against differences;
a new operation is differentiable or listed as not. Not differentiable so far: histograms by weights, weighted
quantiles, `r_`, random draws by their parameters. A rank cut off by `rcond` counts as constant.
"""
from lazyarr._core.frontend.lazy_array import install
from lazyarr._core.transforms.vjp import NotDifferentiable
from lazyarr.autodiff import assignment_vjps as assignment_vjps
from lazyarr.autodiff import composed_vjps as composed_vjps
from lazyarr.autodiff import fourier_vjps as fourier_vjps
from lazyarr.autodiff import linalg_vjps as linalg_vjps
from lazyarr.autodiff import product_vjps as product_vjps
from lazyarr.autodiff import ufunc_vjps as ufunc_vjps
from lazyarr.autodiff.custom import custom_jvp, custom_vjp
from lazyarr.autodiff.jacobians import hessian, hvp, jacobian, laplacian
from lazyarr.autodiff.transform import grad, gradient_of, jvp, stop_gradient, value_and_grad, vjp
from lazyarr.autodiff.vmap_transform import vmap

__all__ = ["NotDifferentiable", "custom_jvp", "custom_vjp", "grad", "hessian", "hvp", "jacobian", "jvp", "laplacian",
           "stop_gradient", "value_and_grad", "vjp", "vmap"]

gradient_of.__name__, gradient_of.__qualname__ = "grad", "LazyArray.grad"
install({"grad": gradient_of})
