"""Several CUDA kernels as one text, since compilers take a while to start."""

import re


def joined(kernels):
    """Return the text of kernels with other names, each in a namespace of its own.

    Parameters
    ----------
    kernels : sequence of (Kernel, str)
        Kernels and their names.
    """
    parts = []
    for number, (kernel, name) in enumerate(kernels):
        macros = re.findall(r"#define (\w+)", kernel.text)
        body = re.sub(rf"\b{kernel.name}\b", name, kernel.text)
        parts += [f"namespace n{number} {{", body, "}", *(f"#undef {macro}" for macro in macros)]
    return "\n".join(parts)
