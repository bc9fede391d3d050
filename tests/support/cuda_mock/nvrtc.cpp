/* A mock of NVRTC: it compiles kernels by the machine's C++ compiler.

   A "cubin" is a shared object with a table of its kernels; a "PTX" is a text that names the file of one. What was
   compiled is kept in FOLDER, where the precompiled shim lies. FOLDER, COMPILER, FLAGS and RACE_FLAGS are macros. */

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>

#define API extern "C" __attribute__((visibility("default")))

enum Result { SUCCESS, OUT_OF_MEMORY, CREATION_FAILURE, INVALID_INPUT, INVALID_PROGRAM, INVALID_OPTION, COMPILATION };

static const int ARCHITECTURES[] = {75, 80, 86, 89, 90, 100, 120};
static const std::set<std::string> KNOWN_OPTIONS = {"--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false"};

struct Program {
    std::string text, log, cubin, ptx;
};

static std::string read_file(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/* The names of a text's kernels; `__global__ void` may stand in a macro. */
static std::set<std::string> kernel_names(const std::string &text)
{
    static const std::regex macro(R"(#define\s+(\w+)\s+[^\n]*__global__\s+void\s*\n)");
    std::string heads = R"(__global__\s+void)";
    std::set<std::string> names;
    for (std::sregex_iterator found(text.begin(), text.end(), macro), end; found != end; ++found)
        heads += "|\\b" + (*found)[1].str();
    const std::regex kernel("(?:" + heads + R"()\s+(\w+)\s*\()");
    for (std::sregex_iterator found(text.begin(), text.end(), kernel), end; found != end; ++found)
        names.insert((*found)[1]);
    return names;
}

/* Whether kernels are to report accesses to memory. */
static bool finds_races()
{
    const char *const wanted = getenv("LAZYARR_MOCK_RACES");
    return wanted && *wanted && strcmp(wanted, "0");
}

/* The text as the compiler gets it, with the table of its kernels. */
static std::string source(const std::string &text, int architecture, bool is_ptx, bool races)
{
    static const std::regex space(R"(\bnamespace\s+(\w+)\s*\{)");
    std::ostringstream out;
    std::set<std::string> spaces;
    const std::set<std::string> names = kernel_names(text);
    out << "#line 1 \"kernel.cu\"\n" << text << "\n#line 1 \"table\"\n";
    for (std::sregex_iterator found(text.begin(), text.end(), space), end; found != end; ++found)
        spaces.insert((*found)[1]);
    for (const std::string &name : spaces) out << "using namespace " << name << ";\n";
    if (races) out << "extern \"C\" __attribute__((visibility(\"hidden\"))) char __bss_start[], _end[];\n";
    out << "static const mock_kernel mock_table[] = {";
    for (const std::string &name : names) out << "MOCK_KERNEL(" << name << "), ";
    out << "{}};\nextern \"C\" __attribute__((visibility(\"default\"))) const mock_unit mock_kernels = {&mock_here, mock_table, "
        << names.size() << ", " << (text.find("__syncthreads") != text.npos) << ", " << is_ptx << ", " << architecture;
    if (races) out << ", __bss_start, _end, R\"text(" << text << ")text\", MOCK_FILE";
    out << "};\n";
    return out.str();
}

/* The shared object of a source, "" if it does not compile. */
static std::string compile(const std::string &text, bool races, std::string &log)
{
    char name[64];
    const std::hash<std::string> hash;
    snprintf(name, sizeof name, "/%016zx%016zx", hash(text), hash("again" + text));
    const std::string stem = FOLDER + std::string(name), made = stem + ".so", own = stem + "." + std::to_string(getpid());
    if (access(made.c_str(), R_OK)) {
        std::ofstream(own + ".cpp") << text;
        const std::string options = races ? " " RACE_FLAGS " -DMOCK_FILE='\"" + made + "\"' -include " FOLDER "/races"
                                          : " -include " FOLDER;
        /* In two steps, as one would link a library of the sanitizer's. */
        const std::string command = "{ " COMPILER " " FLAGS " -c" + options + "/shim.h -o " + own + ".o " + own + ".cpp && "
            COMPILER " -shared -o " + own + ".so " + own + ".o; } 2> " + own;
        const int status = system(command.c_str());
        log = read_file(own);
        for (const char *end : {"", ".cpp", ".o"}) unlink((own + end).c_str());
        if (status) return "";
        rename((own + ".so").c_str(), made.c_str());
    }
    return made;
}

API int nvrtcVersion(int *major, int *minor)
{
    *major = 12, *minor = 8;
    return SUCCESS;
}

API int nvrtcGetNumSupportedArchs(int *count)
{
    *count = sizeof ARCHITECTURES / sizeof *ARCHITECTURES;
    return SUCCESS;
}

API int nvrtcGetSupportedArchs(int *architectures)
{
    memcpy(architectures, ARCHITECTURES, sizeof ARCHITECTURES);
    return SUCCESS;
}

API const char *nvrtcGetErrorString(int result)
{
    static const char *const names[] = {
        "NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT", "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION"};
    return 0 <= result && result <= COMPILATION ? names[result] : "NVRTC_ERROR unknown";
}

API int nvrtcCreateProgram(Program **program, const char *text, const char *, int nheaders, const char **, const char **)
{
    if (!text || nheaders) return INVALID_INPUT;
    *program = new Program{text, "", "", ""};
    return SUCCESS;
}

API int nvrtcDestroyProgram(Program **program)
{
    if (!*program) return INVALID_PROGRAM;
    delete *program;
    *program = nullptr;
    return SUCCESS;
}

API int nvrtcCompileProgram(Program *program, int count, const char *const *options)
{
    static const std::regex option("(?:--gpu-architecture|-arch)=(sm|compute)_(\\d+)a?");
    bool is_ptx = true;
    int architecture = 75;
    for (int i = 0; i < count; i++) {
        std::cmatch found;
        if (std::regex_match(options[i], found, option)) {
            is_ptx = found[1] == "compute";
            architecture = std::stoi(found[2]);
        } else if (!KNOWN_OPTIONS.count(options[i])) {
            program->log = std::string("nvrtc: error: unrecognized option ") + options[i];
            return INVALID_OPTION;
        }
    }
    if (!std::count(std::begin(ARCHITECTURES), std::end(ARCHITECTURES), architecture)) {
        program->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)";
        return INVALID_OPTION;
    }
    const bool races = finds_races();
    const std::string file = compile(source(program->text, architecture, is_ptx, races), races, program->log);
    if (file.empty()) return COMPILATION;
    program->cubin = is_ptx ? "" : read_file(file);
    program->ptx = "// of " + file + "\n.version 8.7\n.target sm_" + std::to_string(architecture) + "\n";
    for (const std::string &name : kernel_names(program->text)) program->ptx += ".visible .entry " + name + "()\n";
    return SUCCESS;
}

/* Texts have a zero at their end, which their size counts; there is none at the end of a cubin. */
#define GETTERS(name, member, end)                                    \
    API int nvrtcGet##name##Size(Program *program, size_t *size)      \
    {                                                                 \
        *size = program->member.size() + end;                         \
        return SUCCESS;                                               \
    }                                                                 \
    API int nvrtcGet##name(Program *program, char *to)                \
    {                                                                 \
        memcpy(to, program->member.c_str(), program->member.size() + end); \
        return SUCCESS;                                               \
    }

GETTERS(PTX, ptx, 1)
GETTERS(CUBIN, cubin, 0)
GETTERS(ProgramLog, log, 1)
