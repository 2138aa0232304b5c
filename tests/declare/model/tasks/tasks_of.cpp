// tests/declare/model/tasks/tasks_of.cpp - tasks of graphs beside a computation node by node.
// SPDX-License-Identifier: MIT
#include <attune/declare/model/tasks/tasks_of.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#ifdef ATTUNE_TEST_ONNX

#include "../../../support/model_run.hpp"
#include "../../../support/nest_interpreter.hpp"
#include "../../../support/texts.hpp"
#include "../onnx/graph_writer.hpp"
#include "plain_graph.hpp"

using attune_test::has;
using namespace onnx_tests;

namespace {

/// A graph with random numbers.
class drawn_graph : public graph_writer {
public:
    explicit drawn_graph(std::int64_t opset = 13)
        : graph_writer("drawn", opset)
        , random_(7)
    {
    }
    [[nodiscard]] std::vector<float> some(std::size_t count, double least = -1, double most = 1)
    {
        std::vector<float> out(count);
        for (float& x : out)
            x = static_cast<float>(least + (most - least) * attune::uniform_unit(random_));
        return out;
    }
    std::string drawn(extents const& shape, double least = -1, double most = 1)
    {
        return numbers(shape, some(static_cast<std::size_t>(count_in(shape)), least, most));
    }
    std::string norm(std::string const& x, std::int64_t channels)
    {
        return add("BatchNormalization", {x, drawn({channels}), drawn({channels}),
                                          drawn({channels}), drawn({channels}, 0.5, 2)});
    }
    std::string hard_swish(std::string const& x)
    {
        std::string const more = add("Add", {x, scalar(3)});
        std::string const cut = add("Clip", {more, scalar(0), scalar(6)});
        return add("Div", {add("Mul", {x, cut}), scalar(6)});
    }

private:
    attune::random_engine random_;
};

/// Runs the nest of a task, one element after the other.
void interpret(attune::model_task const& task, std::vector<float const*> const& reads, float* out)
{
    support::nest_interpreter meaning(task.nest, {});
    for (std::size_t a = 0; a < reads.size(); ++a)
        for (std::size_t i = 0; i < meaning.arrays[a].size(); ++i)
            meaning.arrays[a][i] = {0, static_cast<double>(reads[a][i])};
    meaning.run();
    for (support::nest_number const& x : meaning.arrays[reads.size()])
        *out++ = static_cast<float>(x.real);
}

/// Compares the outputs of a graph with those of its tasks.
attune::model_tasks checked(drawn_graph& graph)
{
    attune::model_tasks const tasks = attune::tasks_of_bytes(graph.bytes());
    plain_graph plain(graph.model());
    support::model_values given;
    for (attune::model_array const& in : tasks.inputs) {
        std::vector<float> const of = graph.some(static_cast<std::size_t>(count_in(in.extents)));
        plain.set(in.name, {in.extents, {of.begin(), of.end()}});
        given[in.array] = of;
    }
    plain.run();
    support::model_values const made = support::run_model(tasks, given, interpret);
    for (attune::model_array const& out : tasks.outputs) {
        INFO(out.name);
        std::vector<double> const& want = plain.get(out.name).of;
        CHECK(out.extents == plain.get(out.name).shape);
        REQUIRE(made.contains(out.array));
        std::vector<float> const& is = made.at(out.array);
        REQUIRE(is.size() == want.size());
        double worst = 0;
        for (std::size_t i = 0; i < is.size(); ++i)
            worst = std::max(worst, std::fabs(static_cast<double>(is[i]) - want[i]) /
                                        (1 + std::fabs(want[i])));
        CHECK(worst < 1e-5);
    }
    return tasks;
}

[[nodiscard]] std::vector<std::string> operators_of(attune::model_tasks const& tasks)
{
    std::vector<std::string> out;
    for (attune::model_task const& task : tasks.tasks)
        out.push_back(std::to_string(task.calls.size()) + ' ' + task.operators);
    std::sort(out.begin(), out.end());
    return out;
}
using texts = std::vector<std::string>;

/// "op: reason" of each operator outside.
[[nodiscard]] texts reasons_of(attune::model_tasks const& tasks)
{
    texts out;
    for (attune::outside_operator const& one : tasks.outside)
        out.push_back(one.op + ": " + one.reason);
    return out;
}

} // namespace

TEST_CASE("a convolution takes its norm, its activation and a residual sum")
{
    drawn_graph g;
    std::string const x = g.input("x", {1_d, 4_d, 7_d, 6_d});
    std::string const a =
        g.add("Conv", {x, g.drawn({6, 4, 3, 3})}, {{"pads", extents{1, 1, 1, 1}}});
    std::string const b = g.hard_swish(g.norm(a, 6));
    std::string const c = g.norm(g.add("Conv", {b, g.drawn({6, 6, 1, 1}), g.drawn({6})}), 6);
    g.output(g.add("Relu", {g.add("Add", {c, b})}));
    attune::model_tasks const tasks = checked(g);
    CHECK(operators_of(tasks) == texts{"1 Conv BatchNormalization Add Clip Mul Div",
                                       "1 Conv BatchNormalization Add Relu", "1 Copy"});
    CHECK(tasks.covered() == 1);
    CHECK(tasks.outside.empty());
    // Of the norm nothing is left but the weights and one row of terms.
    for (attune::model_task const& task : tasks.tasks)
        if (task.operators.starts_with("Conv")) CHECK(task.constant_count == 2);
}

TEST_CASE("convolutions with groups, strides, dilations and other padding behind")
{
    drawn_graph g;
    std::string const x = g.input("x", {2_d, 6_d, 9_d, 8_d});
    std::string y = g.add(
        "Conv", {x, g.drawn({6, 1, 3, 3}), g.drawn({6})},
        {{"group", std::int64_t{6}}, {"strides", extents{2, 1}}, {"pads", extents{1, 0, 1, 2}}});
    y = g.add("Conv", {y, g.drawn({4, 3, 2, 3})},
              {{"group", std::int64_t{2}}, {"dilations", extents{2, 1}}});
    y = g.add("Conv", {y, g.drawn({8, 1, 1, 1})}, {{"group", std::int64_t{4}}});
    g.output(y);
    CHECK(checked(g).covered() == 1);
}

TEST_CASE("factors and terms behind a product become part of its weights")
{
    drawn_graph g;
    std::string const x = g.input("x", {5_d, 8_d});
    std::string y = g.add("MatMul", {x, g.drawn({8, 6})});
    y = g.add("Mul", {g.scalar(0.5F), y});
    y = g.add("Sub", {y, g.drawn({6})});
    y = g.add("Sub", {g.drawn({6}), y});
    y = g.add("Div", {y, g.drawn({6}, 1, 2)});
    g.output(g.add("Tanh", {y}));
    attune::model_tasks const tasks = checked(g);
    REQUIRE(tasks.tasks.size() == 1);
    CHECK(tasks.tasks[0].constant_count == 2);
    CHECK(tasks.tasks[0].operations == 5 * 6 * (2 * 8 + 1 + 1));
}

TEST_CASE("equal layers are one task; numbers that differ between them are its constants")
{
    drawn_graph g;
    std::string y = g.input("x", {1_d, 4_d, 5_d, 5_d});
    for (float const scale : {0.5F, 0.25F, 2.0F}) {
        y = g.add("Conv", {y, g.drawn({4, 4, 1, 1})});
        y = g.add("Mul", {g.add("Relu", {y}), g.scalar(scale)});
        y = g.add("Div", {y, g.scalar(3)});
    }
    g.output(g.add("GlobalAveragePool", {y}));
    attune::model_tasks const tasks = checked(g);
    bool has_shared = false;
    for (attune::model_task const& task : tasks.tasks)
        if (task.calls.size() > 1) {
            has_shared = true;
            CHECK(task.constant_count == 2); // the weights and the number that differs
            CHECK(task.calls[0].constants[1]->front() != task.calls[1].constants[1]->front());
        }
    CHECK(has_shared);
}

TEST_CASE("an array with two readers stays an array")
{
    drawn_graph g;
    std::string const x = g.input("x", {3_d, 4_d});
    std::string const a = g.add("MatMul", {x, g.drawn({4, 4})});
    std::string const b = g.add("Relu", {a});
    g.output(a);
    g.output(g.add("MatMul", {b, g.drawn({4, 2})}));
    CHECK(operators_of(checked(g)) == texts{"1 MatMul", "1 MatMul", "1 Relu"});
}

TEST_CASE("transposed convolutions, poolings, nearest neighbours and joined channels")
{
    drawn_graph g;
    std::string const x = g.input("x", {1_d, 3_d, 6_d, 4_d});
    std::string const up = g.add("ConvTranspose", {x, g.drawn({3, 5, 2, 2}), g.drawn({5})},
                                 {{"strides", extents{2, 2}}});
    std::string const most = g.add("MaxPool", {up},
                                   {{"kernel_shape", extents{3, 3}},
                                    {"strides", extents{2, 2}},
                                    {"pads", extents{1, 1, 1, 1}}});
    std::string const mean =
        g.add("AveragePool", {up}, {{"kernel_shape", extents{2, 2}}, {"strides", extents{2, 2}}});
    std::string const all =
        g.add("Concat", {most, g.add("Relu", {mean})}, {{"axis", std::int64_t{1}}});
    std::string const larger = g.add("Resize", {all, "", g.scales({1, 1, 2, 2})},
                                     {{"mode", std::string("nearest")},
                                      {"coordinate_transformation_mode", std::string("asymmetric")},
                                      {"nearest_mode", std::string("floor")}});
    std::string const gate = g.add("HardSigmoid", {g.add("GlobalMaxPool", {larger})});
    g.output(g.add("Mul", {larger, gate}));
    CHECK(checked(g).covered() == 1);
}

TEST_CASE("an attention: views of one array, products of two, softmax and norms")
{
    drawn_graph g(17);
    std::string const x = g.input("x", {1_d, 6_d, 8_d});
    std::string const n =
        g.add("LayerNormalization", {x, g.drawn({8}), g.drawn({8})}, {{"axis", std::int64_t{-1}}});
    std::string const all = g.add("Add", {g.add("MatMul", {n, g.drawn({8, 24})}), g.drawn({24})});
    std::string const split = g.add("Reshape", {all, g.integers({0, 6, 3, 2, 4})});
    std::string const turned = g.add("Transpose", {split}, {{"perm", extents{2, 0, 3, 1, 4}}});
    std::vector<std::string> part;
    for (std::int64_t i = 0; i < 3; ++i)
        part.push_back(
            g.add("Squeeze", {g.add("Slice", {turned, g.integers({i}), g.integers({i + 1}),
                                              g.integers({0}), g.integers({1})}),
                              g.integers({0})}));
    std::string const keys = g.add("Transpose", {part[1]}, {{"perm", extents{0, 1, 3, 2}}});
    std::string const scores = g.add("Mul", {g.add("MatMul", {part[0], keys}), g.scalar(0.5F)});
    std::string const weighted =
        g.add("MatMul", {g.add("Softmax", {scores}, {{"axis", std::int64_t{3}}}), part[2]});
    std::string const back =
        g.add("Reshape", {g.add("Transpose", {weighted}, {{"perm", extents{0, 2, 1, 3}}}),
                          g.integers({0, 6, 8})});
    std::string const sum = g.add("Add", {x, g.add("MatMul", {back, g.drawn({8, 8})})});
    std::string const mean = g.add("ReduceMean", {sum}, {{"axes", extents{-1}}});
    std::string const apart = g.add("Sub", {sum, mean});
    std::string const squares = g.add("Pow", {apart, g.scalar(2)});
    std::string const deviation = g.add(
        "Sqrt",
        {g.add("Add", {g.add("ReduceMean", {squares}, {{"axes", extents{-1}}}), g.scalar(1e-5F)})});
    g.output(g.add("Add",
                   {g.add("Mul", {g.add("Div", {apart, deviation}), g.drawn({8})}), g.drawn({8})}));
    attune::model_tasks const tasks = checked(g);
    CHECK(tasks.outside.empty());
    for (attune::model_task const& task : tasks.tasks) // one copy, before the heads are joined
        if (task.operators == "Copy") CHECK(task.calls.size() == 1);
}

TEST_CASE("Gemm, reductions without their axes, and operators element by element")
{
    drawn_graph g;
    std::string const x = g.input("x", {4_d, 6_d});
    std::string y = g.add("Gemm", {x, g.drawn({5, 6}), g.drawn({1, 5})},
                          {{"transB", std::int64_t{1}}, {"alpha", 0.5F}, {"beta", 2.0F}});
    y = g.add("LeakyRelu", {y}, {{"alpha", 0.2F}});
    std::string const sum =
        g.add("ReduceSum", {y, g.integers({0})}, {{"keepdims", std::int64_t{0}}});
    std::string z = g.add("Max", {g.add("Elu", {y}), g.add("Erf", {y})});
    z = g.add("Min", {z, g.add("Sigmoid", {y})});
    z = g.add("PRelu", {g.add("Sub", {z, sum}), g.drawn({5})});
    z = g.add("Exp", {g.add("Abs", {z})});
    g.output(z);
    g.output(g.add("ReduceMax", {z}, {{"axes", extents{0, 1}}, {"keepdims", std::int64_t{0}}}));
    CHECK(checked(g).covered() == 1);
}

TEST_CASE("a reshape that no index can make is a copy")
{
    drawn_graph g;
    std::string const x = g.input("x", {1_d, 2_d, 3_d, 4_d});
    std::string const y = g.add("Conv", {x, g.drawn({6, 2, 1, 1})}); // channels last in memory
    std::string const flat = g.add("Flatten", {y});
    g.output(g.add("MatMul", {flat, g.drawn({72, 3})}));
    CHECK(operators_of(checked(g)) == texts{"1 Conv", "1 Copy", "1 MatMul"});
}

TEST_CASE("operators without a formula are outside, with their part of the operations")
{
    drawn_graph g;
    std::string const x = g.input("x", {4_d, 6_d});
    std::string const a = g.add("MatMul", {x, g.drawn({6, 6})});
    std::string const b = g.add("CumSum", {a, g.integer(0)});
    std::string const c = g.add("Pow", {a, g.scalar(1.5F)});
    g.output(b);
    g.output(g.add("MatMul", {c, g.drawn({6, 2})}));
    attune::model_tasks const tasks = attune::tasks_of_bytes(g.bytes());
    CHECK(operators_of(tasks) == texts{"1 MatMul", "1 MatMul"});
    CHECK(reasons_of(tasks) == texts{"CumSum: the operator CumSum has no formula here",
                                     "Pow: its exponent is another one than 2, 3 or 0.5"});
    CHECK(tasks.covered() < 1);
    CHECK(tasks.covered() > 0.8);
}

TEST_CASE("an operator without a formula leaves the product before it, and what is behind it")
{
    drawn_graph g;
    std::string const x = g.input("x", {1_d, 4_d, 5_d, 5_d});
    std::string const a = g.add("Relu", {g.add("Conv", {x, g.drawn({6, 4, 3, 3})})});
    std::string const b = g.add("Pow", {a, g.scalar(1.5F)});
    g.output(g.add("Conv", {g.add("Tanh", {b}), g.drawn({2, 6, 1, 1})}));
    attune::model_tasks const tasks = attune::tasks_of_bytes(g.bytes());
    CHECK(operators_of(tasks) == texts{"1 Conv", "1 Conv Relu", "1 Copy", "1 Tanh"});
    CHECK(reasons_of(tasks) == texts{"Pow: its exponent is another one than 2, 3 or 0.5"});

    // Also a norm that the convolution would fold: the file has no numbers of its mean.
    drawn_graph h;
    std::string const y = h.input("x", {1_d, 4_d, 5_d, 5_d});
    std::string const c = h.add("Conv", {y, h.drawn({6, 4, 3, 3})});
    h.output(h.add("BatchNormalization",
                   {c, h.drawn({6}), h.drawn({6}), h.weight({6}), h.drawn({6}, 0.5, 2)}));
    attune::model_tasks const others = attune::tasks_of_bytes(h.bytes());
    CHECK(operators_of(others) == texts{"1 Conv"});
    CHECK(reasons_of(others) ==
          texts{"BatchNormalization: its input 3 is not stored as numbers of float"});
}

TEST_CASE("a product is divided by the root of a constant")
{
    drawn_graph g;
    std::string const x = g.input("x", {1_d, 6_d, 8_d});
    std::string const y = g.input("y", {1_d, 8_d, 5_d});
    std::string const root = g.add("Sqrt", {g.scalar(8)});
    g.output(g.add("Div", {g.add("MatMul", {x, y}), root}));
    attune::model_tasks const tasks = checked(g);
    CHECK(operators_of(tasks) == texts{"1 MatMul Div"});
    CHECK(tasks.outside.empty());
}

TEST_CASE("numbers that a file does not store in full are no weights")
{
    // A sparse array of which the file has one number, and bounds without numbers.
    drawn_graph g;
    std::string const x = g.input("x", {1_d, 4_d, 5_d, 5_d});
    std::string const weights = g.drawn({1});
    onnx::GraphProto& graph = *g.model().mutable_graph();
    onnx::SparseTensorProto& sparse = *graph.add_sparse_initializer();
    *sparse.mutable_values() = graph.initializer(graph.initializer_size() - 1);
    graph.mutable_initializer()->RemoveLast();
    sparse.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
    sparse.mutable_indices()->add_dims(1);
    sparse.mutable_indices()->add_int64_data(7);
    for (std::int64_t const extent : {6, 4, 3, 3})
        sparse.add_dims(extent);
    g.output(g.add("Conv", {x, weights}));
    g.output(g.add("Clip", {x, g.drawn({0})}));
    attune::model_tasks const tasks = attune::tasks_of_bytes(g.bytes());
    CHECK(tasks.tasks.empty());
    CHECK(reasons_of(tasks) == texts{"Conv: its input 1 is not stored as numbers of float",
                                     "Clip: its bounds are no single numbers"});
}

TEST_CASE("a node that gives only its second output, or no part of a name, is outside")
{
    drawn_graph g;
    std::string const x = g.input("x", {3_d, 1_d, 4_d});
    for (std::string const op : {"LSTM", "GRU"}) {
        std::int64_t const gates = op == "LSTM" ? 4 : 3;
        g.node(op, {x, g.drawn({1, gates * 5, 4}), g.drawn({1, gates * 5, 5})}, {"", op + "_state"},
               {{"hidden_size", std::int64_t{5}}});
        g.output(op + "_state");
    }
    std::string const image = g.input("image", {1_d, 2_d, 4_d, 4_d});
    g.node("Split", {image}, {"", "half"}, {{"axis", std::int64_t{1}}});
    g.output(g.add("Relu", {"half"}));
    g.node("Split", {image}, {"other", ""}, {{"axis", std::int64_t{1}}});
    g.output(g.add("Relu", {"other"}));
    g.node("MaxPool", {image}, {"", "places"}, {{"kernel_shape", extents{2, 2}}});
    g.output("places", true);
    attune::model_tasks const tasks = attune::tasks_of_bytes(g.bytes());
    CHECK(operators_of(tasks) == texts{"2 Relu"});
    CHECK(reasons_of(tasks) ==
          texts{"LSTM: the operator LSTM has no formula here",
                "GRU: the operator GRU has no formula here", "Split: its first output has no name",
                "Split: one of its parts has no name", "MaxPool: its first output has no name"});
}

TEST_CASE("outputs have the order of the file, with numbers in their tasks and other readers")
{
    // The numbers of Clip and LeakyRelu are written in a second step. `b` is also read inside.
    drawn_graph g;
    std::string const x = g.input("x", {1_d, 4_d, 5_d, 6_d});
    std::string const a = g.add("Conv", {x, g.drawn({6, 4, 3, 3})});
    g.output(g.add("LeakyRelu", {a}, {{"alpha", 0.2F}}));
    std::string const b = g.add("Conv", {x, g.drawn({6, 4, 1, 1})});
    g.output(b);
    g.output(g.add("Clip", {g.add("Sigmoid", {b}), g.scalar(0.25F), g.scalar(0.75F)}));
    attune::model_tasks const tasks = checked(g);
    CHECK(tasks.covered() == 1);
    for (attune::model_array const& out : tasks.outputs)
        CHECK(out.array.ends_with(".copy"));
    // Calls of a task run the nest that stands for all of them: each reads what it names.
    for (attune::model_task const& task : tasks.tasks)
        if (task.operators == "Sigmoid Clip")
            for (attune::task_call const& call : task.calls)
                CHECK(call.inputs == texts{b});
}

TEST_CASE("inputs without fixed shapes need one each")
{
    drawn_graph g;
    std::string const x = g.input("x", {"batch"_d, 3_d, "side"_d, "side"_d});
    g.output(g.add("Conv", {x, g.drawn({2, 3, 3, 3})}));
    auto const message = [&](attune::tasks_options const& options) -> std::string {
        try {
            static_cast<void>(attune::tasks_of_bytes(g.bytes(), options, "model.onnx"));
        } catch (attune::error const& e) {
            return e.what();
        }
        return {};
    };
    CHECK(has(message({}), "the input x has no fixed shape: ?x3x?x?"));
    CHECK(has(message({}), "--shape x=?x3x?x?"));
    CHECK(has(message({.shapes = {{"y", {1}}}}), "a shape is given for y, which is no input"));
    CHECK(has(message({.shapes = {{"x", {1, 3, 8}}}}), "has 3 extents, not 4"));
    CHECK(has(message({.shapes = {{"x", {1, 4, 8, 8}}}}), "cannot have the extent 4 on axis 1"));
    CHECK(message({.shapes = {{"x", {1, 3, 8, 5}}}}).empty()); // one name, two numbers
    CHECK_THROWS_AS(static_cast<void>(attune::tasks_of("/no/such.onnx")), attune::error);
    CHECK_THROWS_AS(static_cast<void>(attune::tasks_of_bytes("not a graph")), attune::error);
}

#else

TEST_CASE("tasks_of: skipped, because libonnx was not found") {}

#endif
