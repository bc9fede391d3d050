/* Graphs of launches. */
#ifndef CUDA_MOCK_GRAPHS_H
#define CUDA_MOCK_GRAPHS_H

#include "launches.h"

struct Node {
    Function *function; /* which must not have been unloaded when the node runs */
    Launch launch;
    std::vector<Node *> follows;
};

struct Graph {
    std::vector<std::unique_ptr<Node>> nodes;
};
static std::set<Graph *> &graphs = *new std::set<Graph *>;

/* A graph as it was when it was instantiated, but for parameters that were set. */
struct Executable {
    Graph *graph;
    std::map<Node *, Node> nodes;
};
static std::minstd_rand order;
static std::set<Executable *> &executables = *new std::set<Executable *>;

struct NodeParameters { /* CUDA_KERNEL_NODE_PARAMS_v2 */
    Function *function;
    mock_index grid, block;
    unsigned shared;
    void **arguments, **extra;
    void *kernel, *context;
};

static bool has(const Graph *graph, const Node *node)
{
    return std::any_of(graph->nodes.begin(), graph->nodes.end(), [&](auto &other) { return other.get() == node; });
}

static Result set(Node &node, const NodeParameters *given)
{
    if (given->kernel || given->context && given->context != &primary_context) return INVALID_VALUE;
    node.function = given->function;
    return describe(node.launch, given->function, given->grid, given->block, given->shared, given->arguments,
                    given->extra);
}

API cuGraphCreate(Graph **graph, unsigned flags)
{
    BEGIN(true);
    if (flags) return INVALID_VALUE;
    graphs.insert(*graph = new Graph);
    return SUCCESS;
}

API cuGraphAddKernelNode_v2(Node **handle, Graph *graph, Node **follows, size_t count, const NodeParameters *given)
{
    BEGIN(true);
    if (!graphs.count(graph)) return INVALID_HANDLE;
    auto node = std::make_unique<Node>();
    for (size_t i = 0; i < count; i++) {
        if (!has(graph, follows[i])) return INVALID_VALUE;
        node->follows.push_back(follows[i]);
    }
    if (const Result result = set(*node, given)) return result;
    *handle = node.get();
    graph->nodes.push_back(std::move(node));
    return SUCCESS;
}

API cuGraphInstantiateWithFlags(Executable **handle, Graph *graph, unsigned long long flags)
{
    BEGIN(true);
    if (!graphs.count(graph)) return INVALID_HANDLE;
    if (flags) return INVALID_VALUE;
    executables.insert(*handle = new Executable{graph, {}});
    for (auto &node : graph->nodes) (*handle)->nodes[node.get()] = *node;
    return SUCCESS;
}

API cuGraphExecKernelNodeSetParams_v2(Executable *executable, Node *node, const NodeParameters *given)
{
    BEGIN(true);
    if (!executables.count(executable) || !graphs.count(executable->graph) || !has(executable->graph, node))
        return INVALID_HANDLE;
    return set(executable->nodes[node], given);
}

/* Nodes run after those that they follow, and else in any order. */
API cuGraphLaunch(Executable *executable, Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    if (!executables.count(executable)) return INVALID_HANDLE;
    for (auto &[place, node] : executable->nodes)
        if (!functions.count(node.function)) return INVALID_HANDLE;
    std::set<Node *> done;
    while (done.size() < executable->nodes.size()) {
        std::vector<Node *> ready;
        for (auto &[place, node] : executable->nodes)
            if (!done.count(place) && std::all_of(node.follows.begin(), node.follows.end(),
                                                  [&](Node *other) { return done.count(other); }))
                ready.push_back(place);
        Node *const next = ready[order() % ready.size()];
        enqueue(stream, executable->nodes[next].launch);
        done.insert(next);
    }
    return SUCCESS;
}

API cuGraphDestroy(Graph *graph)
{
    BEGIN(true);
    if (!graphs.erase(graph)) return INVALID_HANDLE;
    delete graph;
    return SUCCESS;
}

/* What runs goes on. */
API cuGraphExecDestroy(Executable *executable)
{
    BEGIN(true);
    if (!executables.erase(executable)) return INVALID_HANDLE;
    delete executable;
    return SUCCESS;
}

#endif
