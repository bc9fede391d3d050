/* Finds races of a launch: two threads use the same byte, at least one of them writes, and nothing orders the two.

   With LAZYARR_MOCK_RACES set, kernels are compiled with calls at each access to memory. Barriers order what threads of
   a block do to shared memory. In global memory they order reads before writes, and nothing else, as those of OpenCL do
   no more either. Writes of the same value race as well; atomic operations do not race with each other. Uses are noted
   by byte. */
#ifndef CUDA_MOCK_RACES_H
#define CUDA_MOCK_RACES_H

#include <cstdlib>
#include <dlfcn.h>
#include <sstream>
#include <unordered_map>

#include "device.h"
#include "interface.h"

namespace races {

/* Who has used a byte since what came last in its order: threads by their number + 1, or SEVERAL. */
struct Uses {
    unsigned since, reader, writer;
    unsigned readers_block, read_at; /* of readers: SEVERAL for several; the interval of the last one */
    bool is_atomic;                  /* all writes were */
};
constexpr unsigned SEVERAL = ~0u;

struct Page {
    Uses bytes[PAGE];
};

static std::unordered_map<size_t, Uses *> &pages = *new std::unordered_map<size_t, Uses *>; /* null: not the device's */
static std::vector<std::unique_ptr<Page>> &made = *new std::vector<std::unique_ptr<Page>>;
static std::string &report = *new std::string;
static const mock_unit *unit;
static const char *kernel;
static unsigned now, launch;
static size_t used, last_page;
static Uses *last;

static const char *const KINDS[] = {"reads", "writes", "adds to"};

/* The line of the kernel's text with an instruction. */
static std::string line_of(const void *instruction)
{
    Dl_info where;
    if (!dladdr(instruction, &where)) return "";
    const size_t offset = static_cast<const char *>(instruction) - static_cast<const char *>(where.dli_fbase) - 1;
    std::ostringstream command;
    command << "addr2line -i -e " << unit->file << " 0x" << std::hex << offset << " 2>/dev/null";
    FILE *const output = popen(command.str().c_str(), "r");
    int number = 0;
    char found[4096];
    while (output && !number && fgets(found, sizeof found, output)) {
        const char *const place = strstr(found, "kernel.cu:");
        if (place) number = atoi(place + 10);
    }
    if (output) pclose(output);
    std::istringstream text(unit->text);
    std::string line;
    for (int i = 0; i < number; i++) std::getline(text, line);
    return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

/* The bytes between the beginning of memory of the device and an address, which is that of the processor. */
static size_t place_of(size_t address)
{
    Lock lock(guard);
    return address + AWAY - std::prev(allocations.upper_bound(address + AWAY))->first;
}

static void add_report(size_t address, unsigned other, bool other_wrote, unsigned thread, int kind,
                       const void *instruction)
{
    const size_t shared = reinterpret_cast<size_t>(unit->shared);
    const bool is_shared = address >= shared && address < reinterpret_cast<size_t>(unit->shared_end);
    const unsigned size = unit->position->block_size.x * unit->position->block_size.y * unit->position->block_size.z;
    std::ostringstream out;
    out << "a race in " << kernel << ": thread " << (thread - 1) % size << " of block " << (thread - 1) / size << ' '
        << KINDS[kind] << " byte " << (is_shared ? address - shared : place_of(address)) << " of "
        << (is_shared ? "shared" : "global") << " memory, which ";
    if (other == SEVERAL) out << "others have ";
    else out << "thread " << (other - 1) % size << " of block " << (other - 1) / size << " has ";
    out << (other_wrote ? "written" : "read") << "; " << line_of(instruction);
    report = out.str();
    fprintf(stderr, "%s\n", report.c_str());
}

static void note(Uses *uses, size_t address, size_t size, unsigned since, unsigned thread, unsigned block, int kind,
                 const void *instruction)
{
    for (size_t i = 0; i < size; i++) {
        Uses &byte = uses[i];
        if (byte.since != since) byte = {since, 0, 0, 0, 0, true};
        const bool is_write_race = byte.writer && byte.writer != thread && !(kind == 2 && byte.is_atomic);
        const bool is_after_reads = byte.readers_block == block && byte.read_at != now;
        const bool is_read_race = kind && byte.reader && byte.reader != thread && !is_after_reads;
        if ((is_write_race || is_read_race) && report.empty())
            add_report(address + i, is_write_race ? byte.writer : byte.reader, is_write_race, thread, kind,
                       instruction);
        unsigned &user = kind ? byte.writer : byte.reader;
        if (kind) byte.is_atomic &= kind == 2;
        else byte.readers_block = byte.reader && byte.readers_block != block ? SEVERAL : block, byte.read_at = now;
        user = user && user != thread ? SEVERAL : thread;
    }
}

/* The uses of a page of the device's memory; null for other memory, which threads do not share. */
static Uses *uses_of(size_t page)
{
    if (page == last_page) return last;
    auto found = pages.find(page);
    if (found == pages.end()) {
        Lock lock(guard);
        auto next = allocations.upper_bound(page * PAGE + AWAY + PAGE - 1);
        Uses *uses = nullptr;
        if (next != allocations.begin() && page * PAGE + AWAY < std::prev(next)->first + std::prev(next)->second.size) {
            if (used == made.size()) made.push_back(std::make_unique<Page>());
            uses = made[used++]->bytes;
        }
        found = pages.emplace(page, uses).first;
    }
    last_page = page;
    return last = found->second;
}

/* Called at each access: 0 reads, 1 writes, 2 does both in one. */
static void access(const void *at, size_t size, int kind, const void *instruction)
{
    const mock_position &here = *unit->position;
    const unsigned block = here.block.x + here.grid.x * (here.block.y + here.grid.y * here.block.z);
    const unsigned in_block = here.thread.x + here.block_size.x * (here.thread.y + here.block_size.y * here.thread.z);
    const unsigned thread = block * here.block_size.x * here.block_size.y * here.block_size.z + in_block + 1;
    const char *const first = static_cast<const char *>(at);
    size_t address = reinterpret_cast<size_t>(at);
    if (first >= unit->shared && first < unit->shared_end) {
        static std::vector<Uses> &shared = *new std::vector<Uses>;
        shared.resize(std::max(shared.size(), size_t(unit->shared_end - unit->shared)));
        note(&shared[first - unit->shared], address, size, now, thread, block, kind, instruction);
        return;
    }
    for (const size_t end = address + size; address < end;) {
        const size_t part = std::min(end - address, PAGE - address % PAGE);
        if (Uses *const uses = uses_of(address / PAGE))
            note(uses + address % PAGE, address, part, launch, thread, block, kind, instruction);
        address += part;
    }
}

/* Barriers, other blocks and other launches come after all that was done before. */
static void begin_interval() { now++; }

static void begin_launch(const mock_unit *of, const char *name)
{
    unit = of, kernel = name;
    launch = ++now;
    pages.clear(), used = 0, last_page = 0, last = nullptr;
    unit->position->access = access;
    report.clear();
}

} // namespace races

/* The race that the last launch had, "" for none. */
extern "C" __attribute__((visibility("default"))) const char *mock_race() { return races::report.c_str(); }

#endif
