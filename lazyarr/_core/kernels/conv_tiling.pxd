# cython: cdivision=True
# (extents are positive where they divide)
"""Tiling of convolutions and their gradients: bands of pixels and blocks."""
from numpy cimport npy_intp

from lazyarr._core.host.threads cimport Watch
from lazyarr._core.kernels.gemm cimport Gemm
from lazyarr._core.tile.epilogue cimport Epilogue

cdef struct Job:
    const Gemm* gemm
    npy_intp reals                      # elements per number: 2 if complex, else 1
    bint of_weights                     # a weight gradient
    bint depthwise                      # each channel separately
    bint by_tiles                       # Winograd's algorithm
    npy_intp size                       # itemsize
    # positions: batch, three axes; only three axes below
    npy_intp out[4]
    npy_intp lines                      # batch * out[1] * out[2]
    npy_intp stride[3]
    npy_intp first[3]
    npy_intp dilation[3]
    npy_intp taps[3]
    # x: extents, strides in bytes
    char* x
    npy_intp extent[3]
    npy_intp x_step[4]
    npy_intp channels                   # elements
    # the array at positions: the output, or its cotangent for weight gradients
    char* y
    npy_intp y_step[4]
    npy_intp columns                    # elements
    # weights [tap, tap, tap, channel, column]
    char* w
    npy_intp w_step[5]
    # layout of a band, in elements
    bint direct                         # x itself
    npy_intp pixel, line, plane, image
    npy_intp block_lines, block_width   # positions
    npy_intp run                        # contiguous elements: channels of neighbouring taps
    npy_intp runs
    npy_intp* start                     # by run: offset from a position's first pixel
    npy_intp* start_w                   # by run: offset of its weights; depthwise, a run is the channels of one tap
    npy_intp together                   # runs packed together
    npy_intp terms                      # most elements of a packed column
    npy_intp block_columns
    npy_intp packed_bytes, band_bytes
    # Winograd: tiles per plane, per block; elements between transformed values
    npy_intp down, across
    npy_intp block_tiles
    npy_intp u_apart, v_apart, m_apart, v_row, m_row
    # shares of the threads
    npy_intp units                      # lines of positions or parts of them, or tiles; for weights, rows
    int by_rows                         # number of parts of the units; columns are divided among the other threads
    Epilogue* epilogue                  # receives positions with all their columns; or NULL
    npy_intp handed                     # positions of a line handed over at a time
    npy_intp beyond                     # final bytes after the last position of a line
    char* doubtful                      # by line: whether results may not be finite; or NULL
    Watch watch
    char* memory
    npy_intp scratch                    # bytes per thread

cdef struct Block:
    npy_intp line0, line1               # lines of positions, in all images
    npy_intp x0, x1                     # along a line
    char* band

cdef int lay_out(Job* job, int threads) except -1
cdef npy_intp take_block(Job* job, npy_intp unit, npy_intp end, char* band, Block* block) noexcept nogil


cdef inline char* position(Job* job, npy_intp line, npy_intp x) noexcept nogil:
    """Return the first column of a position."""
    cdef npy_intp plane = line // job.out[2]
    return job.y + plane // job.out[1] * job.y_step[0] + plane % job.out[1] * job.y_step[1] \
        + line % job.out[2] * job.y_step[2] + x * job.y_step[3]


cdef inline char* first_pixel(Job* job, Block* block, npy_intp line) noexcept nogil:
    """Return the first pixel of the first position in a line of a block."""
    cdef npy_intp plane = line // job.out[2], y = line % job.out[2], before
    if job.direct:
        return job.x + plane // job.out[1] * job.x_step[0] \
            + (plane % job.out[1] * job.stride[0] + job.first[0]) * job.x_step[1] \
            + (y * job.stride[1] + job.first[1]) * job.x_step[2] \
            + (block.x0 * job.stride[2] + job.first[2]) * job.x_step[3]
    before = plane - block.line0 // job.out[2]
    return block.band + (before * job.image
                         + (y if before else line - block.line0) * job.stride[1] * job.line) * job.size
