/* Modules, their kernels, and launches. */
#ifndef CUDA_MOCK_LAUNCHES_H
#define CUDA_MOCK_LAUNCHES_H

#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <link.h>

#include "blocks.h"
#include "calls.h"

struct Function {
    const mock_unit *unit;
    const mock_kernel *kernel;
};

struct Module {
    void *library;
    std::map<std::string, Function> functions;
};
static std::set<Module *> &modules = *new std::set<Module *>;
static std::set<Function *> &functions = *new std::set<Function *>;

/* The bytes of an image: a shared object, whose section headers are its end, or a text that names its file. */
static std::string bytes_of(const char *image)
{
    static const std::string beginning = "// of ";
    if (!memcmp(image, ELFMAG, SELFMAG)) {
        const auto *const header = reinterpret_cast<const ElfW(Ehdr) *>(image);
        return {image, image + header->e_shoff + size_t(header->e_shnum) * header->e_shentsize};
    }
    if (strncmp(image, beginning.c_str(), beginning.size())) return "";
    const char *const name = image + beginning.size();
    std::ifstream file(std::string(name, strcspn(name, "\n")), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/* Each module has a file of its own, as the loader takes files of one name for one. */
static void *load(const std::string &bytes)
{
    char name[] = "/tmp/cuda_mock_XXXXXX";
    const int file = mkstemp(name);
    const bool is_written = write(file, bytes.data(), bytes.size()) == ssize_t(bytes.size());
    close(file);
    void *const library = is_written ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
    unlink(name);
    return library;
}

/* Kernels run on devices of their architecture's family, what is compiled from PTX on all later ones. */
static bool fits(const mock_unit *unit)
{
    const bool is_family = unit->is_ptx || unit->architecture / 10 == capability / 10;
    return unit->architecture <= capability && is_family;
}

API cuModuleLoadDataEx(Module **handle, const void *image, unsigned, int *, void **)
{
    BEGIN(true);
    const std::string bytes = bytes_of(static_cast<const char *>(image));
    void *const library = bytes.empty() ? nullptr : load(bytes);
    if (!library) return INVALID_IMAGE;
    const mock_unit *const unit = static_cast<const mock_unit *>(dlsym(library, "mock_kernels"));
    if (!unit || !fits(unit)) {
        dlclose(library);
        return unit ? NO_BINARY_FOR_GPU : INVALID_IMAGE;
    }
    Module *const module = new Module{library, {}};
    for (size_t i = 0; i < unit->nkernels; i++) {
        Function &function = module->functions[unit->kernels[i].name];
        function = {unit, unit->kernels + i};
        functions.insert(&function);
    }
    modules.insert(*handle = module);
    return SUCCESS;
}

API cuModuleGetFunction(Function **handle, Module *module, const char *name)
{
    BEGIN(true);
    if (!modules.count(module)) return INVALID_HANDLE;
    auto found = module->functions.find(name);
    if (found == module->functions.end()) return NOT_FOUND;
    *handle = &found->second;
    return SUCCESS;
}

API cuModuleUnload(Module *module)
{
    BEGIN(true);
    if (!modules.erase(module)) return INVALID_HANDLE;
    finish_all(lock);
    for (auto &entry : module->functions) functions.erase(&entry.second);
    dlclose(module->library);
    delete module;
    return failure;
}

/* A launch, with its arguments as they were at the call. */
struct Launch {
    Function kernel;
    mock_index grid, block;
    std::vector<std::vector<char>> arguments;
};

/* Describe a launch. */
static Result describe(Launch &launch, Function *function, mock_index grid, mock_index block, unsigned shared,
                       void **given, void **extra)
{
    if (!functions.count(function)) return INVALID_HANDLE;
    if (!blocks::volume(grid) || !blocks::volume(block) || blocks::volume(block) > 1024 || shared || extra)
        return INVALID_VALUE;
    launch = {*function, grid, block, {}};
    for (size_t i = 0; i < function->kernel->nparameters; i++) {
        const char *const first = static_cast<const char *>(given[i]);
        launch.arguments.emplace_back(first, first + function->kernel->parameters[i].size);
    }
    return SUCCESS;
}

/* Replace addresses by the memory behind them; false if there is none. */
static bool translate(Launch &launch)
{
    Lock lock(guard);
    for (size_t i = 0; i < launch.arguments.size(); i++) {
        Address address;
        if (!launch.kernel.kernel->parameters[i].is_pointer) continue;
        memcpy(&address, launch.arguments[i].data(), sizeof address);
        const char *const memory = address ? memory_at(address, 0) : nullptr;
        if (address && !memory) return false;
        memcpy(launch.arguments[i].data(), &memory, sizeof memory);
    }
    return true;
}

static void enqueue(Stream *stream, Launch launch)
{
    run_in(stream, "kernel", [launch]() mutable {
        if (!translate(launch)) return;
        std::vector<void *> places;
        for (std::vector<char> &argument : launch.arguments) places.push_back(argument.data());
        if (blocks::run(launch.kernel.unit, launch.kernel.kernel, launch.grid, launch.block, places.data())) return;
        Lock lock(guard);
        failure = LAUNCH_FAILED;
    });
}

API cuLaunchKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, Stream *handle, void **given, void **extra)
{
    BEGIN(true);
    STREAM(stream, handle);
    Launch launch;
    const Result result = describe(launch, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared,
                                   given, extra);
    if (!result) enqueue(stream, launch);
    return result;
}

#endif
