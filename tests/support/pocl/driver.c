/* An OpenCL driver that is PoCL, to which it is linked, with another answer to what the processor is. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

char *pocl_get_llvm_cpu_name(void);

static char *name(void)
{
    return strdup(__builtin_cpu_supports("avx512vl") ? "x86-64-v4" : "x86-64-v3");
}

/* Have PoCL's function begin with a jump to the other. */
__attribute__((constructor)) static void install(void)
{
    unsigned char *code = (unsigned char *)pocl_get_llvm_cpu_name;
    unsigned char jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};  /* movabs $name, %rax; jmp *%rax */
    char *(*target)(void) = name;
    uintptr_t size = sysconf(_SC_PAGESIZE), page = (uintptr_t)code / size * size;
    memcpy(jump + 2, &target, sizeof target);
    if (mprotect((void *)page, 2 * size, PROT_READ | PROT_WRITE | PROT_EXEC)) return;
    memcpy(code, jump, sizeof jump);
    mprotect((void *)page, 2 * size, PROT_READ | PROT_EXEC);
}
