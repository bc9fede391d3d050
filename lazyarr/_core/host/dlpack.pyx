"""DLPack capsules: descriptions of strided memory on any device, exchanged between array libraries.

A capsule has a `DLManagedTensor`, from DLPack 1.0 on one with a version and flags. The consumer calls its deleter when
the memory is not needed any more, in any thread.
"""
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetName
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

cimport cython

cdef extern from "Python.h":
    bint Py_IsInitialized() noexcept nogil

cdef struct Device:
    int32_t kind, number

cdef struct DType:
    uint8_t code, bits
    uint16_t lanes

cdef struct Description:        # DLTensor
    void* data
    Device device
    int32_t ndim
    DType dtype
    int64_t* shape
    int64_t* strides            # in elements; NULL for C order
    uint64_t offset             # in bytes

cdef struct Plain:              # DLManagedTensor
    Description tensor
    void* owner
    void (*deleter)(Plain*) noexcept nogil

cdef struct Versioned:          # DLManagedTensorVersioned
    uint32_t major, minor
    void* owner
    void (*deleter)(Versioned*) noexcept nogil
    uint64_t flags
    Description tensor

cdef enum:
    MAJOR = 1
    READ_ONLY = 1

cdef const char* _PLAIN = "dltensor"
cdef const char* _VERSIONED = "dltensor_versioned"


cdef void _drop(void* owner) noexcept with gil:
    Py_DECREF(<object>owner)


cdef void _delete_plain(Plain* managed) noexcept nogil:
    if Py_IsInitialized():
        _drop(managed.owner)
    free(managed)


cdef void _delete_versioned(Versioned* managed) noexcept nogil:
    if Py_IsInitialized():
        _drop(managed.owner)
    free(managed)


cdef void _end_capsule(object capsule) noexcept:
    """Delete the tensor of a capsule that was not consumed."""
    cdef Plain* plain
    cdef Versioned* versioned
    if PyCapsule_IsValid(capsule, _PLAIN):
        plain = <Plain*>PyCapsule_GetPointer(capsule, _PLAIN)
        plain.deleter(plain)
    elif PyCapsule_IsValid(capsule, _VERSIONED):
        versioned = <Versioned*>PyCapsule_GetPointer(capsule, _VERSIONED)
        versioned.deleter(versioned)


def new_capsule(owner, size_t address, tuple shape, tuple strides, tuple dtype, tuple device, uint64_t flags,
                bint is_versioned):
    """Return a capsule on memory that `owner` keeps alive; strides are in elements, dtype is (code, bits)."""
    cdef size_t nbytes = sizeof(Versioned) if is_versioned else sizeof(Plain)
    cdef char* managed = <char*>malloc(nbytes + 2 * len(shape) * sizeof(int64_t))
    cdef int64_t* extents = <int64_t*>(managed + nbytes)
    cdef Description* tensor
    cdef int d, ndim = <int>len(shape)
    if managed is NULL:
        raise MemoryError()
    try:
        tensor = &(<Versioned*>managed).tensor if is_versioned else &(<Plain*>managed).tensor
        tensor.data, tensor.ndim, tensor.offset = <void*>address, ndim, 0
        tensor.shape, tensor.strides = extents, extents + ndim
        for d in range(ndim):
            extents[d], extents[ndim + d] = shape[d], strides[d]
        tensor.device.kind, tensor.device.number = device
        tensor.dtype.code, tensor.dtype.bits = dtype
        tensor.dtype.lanes = 1
        if is_versioned:
            (<Versioned*>managed).major, (<Versioned*>managed).minor = MAJOR, 0
            (<Versioned*>managed).flags, (<Versioned*>managed).owner = flags, <PyObject*>owner
            (<Versioned*>managed).deleter = _delete_versioned
        else:
            (<Plain*>managed).owner, (<Plain*>managed).deleter = <PyObject*>owner, _delete_plain
        capsule = PyCapsule_New(managed, _VERSIONED if is_versioned else _PLAIN, _end_capsule)
    except BaseException:
        free(managed)
        raise
    Py_INCREF(owner)
    return capsule


@cython.final
cdef class Tensor:
    """Memory from a capsule, released with the last reference.

    Attributes
    ----------
    address : int
        Of the first element.
    shape : tuple of int
    strides : tuple of int or None
        In elements; None for C order.
    dtype : tuple of int
        DLPack's code, bits, and lanes.
    device : tuple of int
        DLPack's kind of device, and the number.
    is_read_only : bool
    """
    cdef Plain* plain           # exactly one of these is set
    cdef Versioned* versioned
    cdef Description* tensor

    def __dealloc__(self):
        if self.plain is not NULL and self.plain.deleter is not NULL:
            self.plain.deleter(self.plain)
        if self.versioned is not NULL and self.versioned.deleter is not NULL:
            self.versioned.deleter(self.versioned)

    @property
    def address(self):
        return <size_t>self.tensor.data + self.tensor.offset

    @property
    def shape(self):
        return tuple([self.tensor.shape[d] for d in range(self.tensor.ndim)])

    @property
    def strides(self):
        if self.tensor.strides is NULL:
            return None
        return tuple([self.tensor.strides[d] for d in range(self.tensor.ndim)])

    @property
    def dtype(self):
        return self.tensor.dtype.code, self.tensor.dtype.bits, self.tensor.dtype.lanes

    @property
    def device(self):
        return self.tensor.device.kind, self.tensor.device.number

    @property
    def is_read_only(self):
        return self.versioned is not NULL and self.versioned.flags & READ_ONLY != 0


def take(capsule):
    """Take the memory of a capsule, which cannot be taken again."""
    cdef Tensor taken = Tensor.__new__(Tensor)
    cdef Versioned* versioned
    if PyCapsule_IsValid(capsule, _VERSIONED):
        versioned = <Versioned*>PyCapsule_GetPointer(capsule, _VERSIONED)
        if versioned.major != MAJOR:
            raise BufferError(f"memory described by DLPack {versioned.major}.{versioned.minor}, of which lazyarr knows "
                              f"version {MAJOR}")
        PyCapsule_SetName(capsule, "used_dltensor_versioned")
        taken.versioned, taken.tensor = versioned, &versioned.tensor
        return taken
    taken.plain = <Plain*>PyCapsule_GetPointer(capsule, _PLAIN)     # raises for non-capsules and consumed ones
    PyCapsule_SetName(capsule, "used_dltensor")
    taken.tensor = &taken.plain.tensor
    return taken
