from numpy.lib.mixins import NDArrayOperatorsMixin as NDArrayOperatorsMixin
