// tests/tune/model/tune_model.cpp - the layers of small graphs, tuned; their exported code beside the interpreter.
// SPDX-License-Identifier: MIT
#include <attune/tune/model/tune_model.hpp>

#include <doctest/doctest.h>

#ifdef ATTUNE_TEST_ONNX

#include <attune/compile/system/process.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/model/tasks/tasks_of.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

#include "../../declare/model/onnx/graph_writer.hpp"
#include "../../support/model_run.hpp"
#include "../../support/nest_interpreter.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune_test::has;
using namespace onnx_tests;

namespace {

[[nodiscard]] std::vector<float> some(std::size_t count, std::uint64_t seed)
{
    attune::random_engine draw(seed);
    std::vector<float> out(count);
    for (float& x : out)
        x = static_cast<float>(2 * attune::uniform_unit(draw) - 1);
    return out;
}

/// A convolution of the graph's input, two equal ones with the channels last, a product, and a
/// softmax of less than a microsecond.
[[nodiscard]] attune::model_tasks small_model()
{
    graph_writer g("small");
    std::string y = g.input("x", {1_d, 16_d, 20_d, 20_d});
    for (std::uint64_t i = 0; i < 3; ++i) {
        std::string const w = g.numbers({16, 16, 3, 3}, some(16 * 16 * 9, i));
        y = g.add("Conv", {y, w, g.numbers({16}, some(16, 7))}, {{"pads", extents{1, 1, 1, 1}}});
        y = g.add("Relu", {y});
    }
    y = g.add("Flatten", {g.add("GlobalAveragePool", {y})});
    y = g.add("MatMul", {y, g.numbers({16, 4}, some(64, 9))});
    g.output(g.add("Softmax", {y}));
    return attune::tasks_of_bytes(g.bytes());
}

/// Compiles the code of a task alone, and compares its result with the interpreter.
/// @return  what is wrong; empty if nothing is
[[nodiscard]] std::string wrong_code(attune::model_task const& task, std::string const& code,
                                     std::string const& folder)
{
    std::size_t const reads = task.input_count + task.constant_count;
    std::string call =
        "extern \"C\" void call_it(float const* const* r, float* y) { " + task.name + '(';
    for (std::size_t i = 0; i < reads; ++i)
        call += "r[" + std::to_string(i) + "], ";
    bool const has_forms = has(code, "_fill_"); // needs more arguments
    std::string const source = folder + '/' + task.name + ".cpp";
    support::write_file(source, has_forms ? code : code + call + "y); }\n");
    std::string const object = folder + '/' + task.name + ".so";
    auto const done = attune::detail::run_process({"c++", "-std=c++17", "-O2", "-march=native",
                                                   "-w", "-shared", "-fPIC", source, "-o", object},
                                                  120);
    if (!done.succeeded()) return done.output;
    if (has_forms) return {};
    void* const library = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return ::dlerror();
    auto const run =
        reinterpret_cast<void (*)(float const* const*, float*)>(::dlsym(library, "call_it"));
    support::nest_interpreter meaning(task.nest, {});
    std::vector<std::vector<float>> arrays;
    std::vector<float const*> pointers;
    for (std::size_t a = 0; a < reads; ++a)
        arrays.push_back(some(meaning.arrays[a].size(), a));
    for (std::size_t a = 0; a < reads; ++a) {
        pointers.push_back(arrays[a].data());
        for (std::size_t i = 0; i < arrays[a].size(); ++i)
            meaning.arrays[a][i] = {0, static_cast<double>(arrays[a][i])};
    }
    meaning.run();
    std::vector<float> is(meaning.arrays[reads].size());
    run(pointers.data(), is.data());
    std::string wrong;
    for (std::size_t i = 0; i < is.size() && wrong.empty(); ++i) {
        double const want = meaning.arrays[reads][i].real;
        if (!(std::fabs(static_cast<double>(is[i]) - want) < 1e-4 * (1 + std::fabs(want))))
            wrong = task.name + '[' + std::to_string(i) + "] = " + std::to_string(is[i]) +
                    ", not " + std::to_string(want);
    }
    ::dlclose(library);
    return wrong;
}

} // namespace

TEST_CASE("the layers of a model share a budget, and their code compiles alone")
{
    support::scratch_directory const folder;
    attune::model_tasks const model = small_model();
    attune::model_tuning_options options{.budget = {.evaluations = 12},
                                         .store = folder.path() + "/model.attune"};
    std::size_t evaluated = 0;
    options.progress = [&](attune::progress const& event) {
        if (event.event == attune::progress_event::evaluated) ++evaluated;
    };
    attune::tuned_model const found = attune::tune_model(model, options);
    CHECK(found.covered == 1);
    CHECK(found.evaluations > 0);
    CHECK(found.evaluations <= 12);
    CHECK(evaluated >= found.evaluations);
    REQUIRE(found.tasks.size() == model.tasks.size());
    CHECK(found.tasks[0].reason == "");
    CHECK(found.tasks[0].calls == 2); // of the most time
    CHECK(found.tasks[0].operators == "Conv Relu");
    CHECK(found.tasks[0].default_s > 0);
    double sum = 0;
    for (attune::tuned_task const& task : found.tasks) {
        CAPTURE(task.name);
        CHECK(task.best_s > 0);
        sum += task.best_s * static_cast<double>(task.calls);
        auto const of = std::find_if(model.tasks.begin(), model.tasks.end(),
                                     [&](auto const& t) { return t.name == task.name; });
        REQUIRE(of != model.tasks.end());
        CHECK(wrong_code(*of, task.code, folder.path()).empty());
    }
    CHECK(found.best_s() == doctest::Approx(sum));
    std::string const table = found.table();
    CHECK(has(table, "| " + found.tasks[0].name + " | Conv Relu | 2 |"));
    CHECK(has(table, "tasks have 100.0 % of the operations"));

    // Without a budget, the winners of the store are timed.
    options.budget = {.evaluations = 0};
    attune::tuned_model const again = attune::tune_model(model, options);
    CHECK(again.evaluations == 0);
    for (attune::tuned_task const& task : again.tasks)
        if (task.name == found.tasks[0].name) {
            CHECK(task.configuration == found.tasks[0].configuration);
            CHECK(task.code == found.tasks[0].code);
            CHECK(task.best_s > 0);
        }
}

TEST_CASE("a model without tasks has an empty table")
{
    graph_writer g("none");
    g.output(g.add("CumSum", {g.input("x", {4_d, 6_d}), g.integer(0)}));
    attune::tuned_model const found =
        attune::tune_model(attune::tasks_of_bytes(g.bytes()), {.budget = {.evaluations = 3}});
    CHECK(found.tasks.empty());
    CHECK(has(found.table(), "outside: CumSum, 1 node: the operator CumSum has no formula here"));
}

#else

TEST_CASE("tune_model: skipped, because libonnx was not found") {}

#endif
