"""Several CUDA kernels as one text, since compilers start slowly."""

import re


def joined(kernels):
    """Return the text of renamed kernels, each in its own namespace.

    Parameters
    ----------
    kernels : sequence of (Kernel, str)
        Kernels with their new names.
    """
    parts = []
    for number, (kernel, name) in enumerate(kernels):
        macros = re.findall(r"#define (\w+)", kernel.text)
        body = re.sub(rf"\b{kernel.name}\b", name, kernel.text)
        parts += [f"namespace n{number} {{", body, "}", *(f"#undef {macro}" for macro in macros)]
    return "\n".join(parts)
