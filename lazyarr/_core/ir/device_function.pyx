"""Functions of nodes that devices run: the base of loops, branches and traced functions."""


cdef class DeviceFunction:
    """A function of ndarrays that a device with a driver can run as well."""

    def run_on_device(self, int device, list operands, words):
        """Run it on a device.

        Parameters
        ----------
        device : int
        operands : list of Node
            They have their values, on the device or the host.
        words : StatusWords
            Of the evaluation.

        Returns
        -------
        list of DeviceMemory or ndarray
            For each result memory that begins with it, in C order; tapes in arrays without axes.
        """
        raise NotImplementedError
