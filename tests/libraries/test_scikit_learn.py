"""scikit-learn without array API dispatch: estimators read the values, and give the same as for ndarrays."""

import numpy as np
import pytest

import lazyarr as la
from support import lazy_helpers

pytest.importorskip("sklearn")
from sklearn import (
    cluster,
    decomposition,
    ensemble,
    gaussian_process,
    linear_model,
    metrics,
    model_selection,
    naive_bayes,
    neighbors,
    pipeline,
    preprocessing,
    svm,
    tree,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
ARRAYS = {"X": X, "t": X @ np.arange(4.0) + RNG.normal(size=60), "y": (X[:, 0] > 0) + 2, "w": RNG.random(60)}
NAMES = {
    "cluster": cluster, "decomposition": decomposition, "ensemble": ensemble, "gaussian_process": gaussian_process,
    "linear_model": linear_model, "metrics": metrics, "model_selection": model_selection, "naive_bayes": naive_bayes,
    "neighbors": neighbors, "pipeline": pipeline, "preprocessing": preprocessing, "svm": svm, "tree": tree,
}


def evaluate(line, wrap):
    return eval(line, NAMES | {"np": np if wrap is np.array else la} | {name: wrap(x) for name, x in ARRAYS.items()})


@pytest.mark.filterwarnings("ignore")  # few iterations do not converge
@pytest.mark.parametrize("wrap", [lazy_helpers.pending, la.numpy.array])
@pytest.mark.parametrize("line", [
    "linear_model.LinearRegression().fit(X, t).coef_",
    "linear_model.Ridge().fit(X, t, sample_weight=w).predict(X)",
    "linear_model.Ridge(alpha=w.sum()).fit(X, t).coef_",
    "linear_model.LogisticRegression().fit(X, y).predict_proba(X)",
    "linear_model.SGDClassifier(random_state=0).partial_fit(X, y, classes=np.unique(y)).coef_",
    "svm.SVC(kernel=lambda a, b: a @ b.T).fit(X, y).decision_function(X)",
    "tree.DecisionTreeRegressor(random_state=0).fit(X, t).predict(X + 0.1)",
    "ensemble.RandomForestClassifier(5, random_state=0).fit(X, y).predict(X)",
    "ensemble.HistGradientBoostingRegressor(max_iter=5).fit(X, t).predict(X)",
    "neighbors.KNeighborsClassifier(weights=lambda d: 1 / (d + 1)).fit(X, y).predict(X)",
    "neighbors.KDTree(X).query(X[:3], k=2)[1]",
    "naive_bayes.GaussianNB().fit(X, y).theta_",
    "gaussian_process.GaussianProcessRegressor().fit(X, t).predict(X[:5])",
    "cluster.KMeans(2, init=X[:2], n_init=1).fit(X).labels_",
    "cluster.DBSCAN().fit(X).labels_",
    "decomposition.PCA(2).fit_transform(X)",
    "decomposition.NMF(2, random_state=0, max_iter=20).fit_transform(abs(X))",
    "preprocessing.StandardScaler().fit(X).transform(X)",
    "preprocessing.FunctionTransformer(lambda x: np.where(x > 0, x, 0)).fit_transform(X)",
    "pipeline.make_pipeline(preprocessing.MinMaxScaler(), svm.SVR()).fit(X, t).predict(X)",
    "model_selection.cross_val_score(linear_model.Ridge(), X, t, scoring='r2')",
    "model_selection.train_test_split(X, y, stratify=y, random_state=0)[1]",
    "metrics.roc_auc_score(y, X[:, 1], sample_weight=w)",
    "metrics.confusion_matrix(y, y[::-1])",
])
def test_values(line, wrap):
    expected, got = evaluate(line, np.array), evaluate(line, wrap)
    assert np.asarray(got).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-7, atol=1e-9)


def test_grids_of_parameters_are_ndarrays_or_lists():
    line = "model_selection.GridSearchCV(linear_model.Ridge(), {'alpha': w[:3]}).fit(X, t).best_score_"
    with pytest.raises(TypeError, match="numpy array"):
        evaluate(line, lazy_helpers.pending)
    assert evaluate(line.replace("w[:3]", "list(w[:3])"), lazy_helpers.pending) == evaluate(line, np.array)
