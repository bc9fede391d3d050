"""Functions that can run on devices: the base of loops, branches and traced functions."""


cdef class DeviceFunction:
    """A function of ndarrays that a device with a driver can run, too."""

    def run_on_device(self, int device, list operands, words):
        """Run it on a device.

        Parameters
        ----------
        device : int
        operands : list of Node
            Evaluated, on the device or the host.
        words : StatusWords
            Of the evaluation.

        Returns
        -------
        list of DeviceMemory or ndarray
            For each result memory that begins with it, in C order; tapes are 0-d arrays.
        """
        raise NotImplementedError
