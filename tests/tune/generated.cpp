// tests/tune/generated.cpp - kernels whose text a function writes are tuned, kept and found like files.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/system/process.hpp>

#include <atomic>
#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/cache_folder.hpp"
#include "../support/emulated_compiler.hpp"
#include "../support/notices.hpp"
#include "../support/set_variable.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::decision;

namespace {

inline constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 4)).with_default(1);
inline constexpr auto way =
    attune::categorical<"WAY">("right", "wrong", "bad syntax", "empty", "throws", "throws 42")
        .with_default("right");
inline constexpr auto both = attune::space(lanes, way);

using total_signature = void(std::span<float const>, std::span<float>);

/// @param comment  in the text
template <class Config>
std::string text_of_total(Config const& config, std::string const& comment = {})
{
    if (config[way] == "throws") throw std::runtime_error("not this way");
    if (config[way] == "throws 42") throw 42;
    if (config[way] == "empty") return {};
    std::string text = comment + "#include <span>\n"
                                 "void total(std::span<float const> x, std::span<float> sum)\n"
                                 "{\n";
    for (int i = 0; i < config[lanes]; ++i)
        text += "    float s" + std::to_string(i) + " = 0;\n";
    text +=
        "    for (unsigned i = 0; i < x.size(); i += " + std::to_string(config[lanes]) + ") {\n";
    for (int i = 0; i < config[lanes]; ++i)
        text += "        s" + std::to_string(i) + " += x[i + " + std::to_string(i) + "];\n";
    text += "    }\n    sum[0] = " + std::string(config[way] == "wrong" ? "1" : "0");
    for (int i = 0; i < config[lanes]; ++i)
        text += " + s" + std::to_string(i);
    return text + (config[way] == "bad syntax" ? "\n}\n" : ";\n}\n");
}

attune::kernel<total_signature> total_kernel(std::string const& revision = "1",
                                             std::string const& comment = {})
{
    return {"total",
            attune::generated_source(
                both, [comment](auto const& config) { return text_of_total(config, comment); },
                "total.cpp", revision),
            both};
}

/// clang_compiler, which also counts.
class counting_compiler {
public:
    explicit counting_compiler(attune::cache_options const& cache)
        : inner_(with(cache))
    {
    }
    attune::compile_result compile(attune::kernel_source const& k, attune::compile_request const& v)
    {
        ++*compiled_;
        CHECK_FALSE(k.generator); // every compiler is given a text
        CHECK(v.macros.empty());
        return inner_.compile(k, v);
    }
    std::string identity() const { return inner_.identity(); }
    std::optional<attune::callable> find_winner(attune::kernel_source const& k,
                                                attune::compile_request const& v) const
    {
        return inner_.find_winner(k, v);
    }
    bool keep_winner(attune::kernel_source const& k, attune::compile_request const& v) const
    {
        return inner_.keep_winner(k, v);
    }
    int compiled() const { return *compiled_; }

private:
    static attune::clang_options with(attune::cache_options const& cache)
    {
        attune::clang_options out;
        out.cache = cache;
        return out;
    }
    attune::clang_compiler inner_;
    std::shared_ptr<std::atomic<int>> compiled_ = std::make_shared<std::atomic<int>>(0);
};

attune::tuning_options quiet(std::size_t evaluations = 18)
{
    attune::tuning_options out;
    out.limits.evaluations = evaluations;
    out.limits.seconds = attune::search_limits::any_time; // a busy machine ends nothing early
    out.progress = attune::silent_progress();
    return out;
}

std::vector<float> const x(1 << 14, 0.5f);
constexpr float right = 0.5f * (1 << 14);

float total_by(auto& total)
{
    alignas(4096) static float sum[1]; // at one place in a page: all calls have one shape
    sum[0] = 0;
    total(x, sum);
    return sum[0];
}

} // namespace

TEST_CASE("a generated kernel is tuned, and each way to fail is one configuration's")
{
    attune::memory_store store;
    cache_folder const folder;
    attune::tuned total{total_kernel(), counting_compiler{folder.options()}, store, quiet()};
    CHECK(total_by(total) == right);
    attune::tuning_report const report = total.report();
    CHECK(report.evaluations == 18); // the whole space
    CHECK(attune::total(report.failures) == 15);
    // 3 of each: syntax, empty, two throw
    CHECK(failures_at(report, attune::failure_stage::compile) == 12);
    CHECK(failures_at(report, attune::failure_stage::verify) == 3);
    CHECK(has(report.configuration, "WAY=right"));
}

TEST_CASE("the winner of a generated kernel is found again, without a compilation")
{
    if (attune::detail::find_program("ld").empty() || !attune::clang_compiler().notice().empty()) {
        MESSAGE("skipped: no ld in PATH, or no Clang");
        return;
    }
    cache_folder const folder;
    std::string const path = folder.path() + ".attune";
    auto const run = [&](attune::kernel<total_signature> const& kernel, auto const& look) {
        counting_compiler const compiler{folder.options()};
        attune::tuned total{kernel, compiler, attune::store{path}, quiet(6)};
        CHECK(total_by(total) == right);
        std::vector<float> sum(1);
        look(total.report().how, total.explain(x, sum).how, compiler.compiled());
    };
    using attune::choice_match;
    run(total_kernel(), [](decision how, choice_match, int compiled) {
        CHECK((how == decision::tuned || how == decision::kept_default));
        CHECK(compiled > 0);
    });
    run(total_kernel(), [](decision how, choice_match match, int compiled) {
        CHECK(how == decision::remembered);
        CHECK(match == choice_match::exact);
        CHECK(compiled == 0);
    });
    // Another revision with the same code needs no tuning; with other code it is tuned again.
    run(total_kernel("2", "// moved\n"), [](decision how, choice_match match, int) {
        CHECK(how == decision::remembered);
        CHECK(match == choice_match::exact_by_code);
    });
    run(total_kernel("3", "#pragma clang fp contract(off)\nint more() { return 1; }\n"),
        [](decision how, choice_match match, int compiled) {
            CHECK(how != decision::remembered);
            CHECK(match == choice_match::exact);
            CHECK(compiled > 2);
        });
}

TEST_CASE("a generated kernel is tuned in the background, with texts for several threads")
{
    attune::memory_store store;
    cache_folder const folder;
    attune::tuning_options options = quiet();
    options.on_miss = attune::miss_policy::tune_in_background;
    options.compile_ahead = 2;
    attune::tuned total{total_kernel(), counting_compiler{folder.options()}, store, options};
    CHECK(total_by(total) == right);
    total.wait();
    CHECK(total_by(total) == right);
    attune::tuning_report const report = total.report();
    std::string said = report.summary();
    for (std::string const& notice : report.notices)
        said += "\n" + notice;
    INFO(said);
    CHECK(report.evaluations == 18);
}

TEST_CASE("ATTUNE_FORCE chooses a configuration of a generated kernel, and a wrong one is refused")
{
    cache_folder const folder;
    auto const forced = [&](char const* values) {
        set_variable const force("ATTUNE_FORCE", values);
        attune::tuned total{total_kernel(), counting_compiler{folder.options()},
                            attune::memory_store{}, quiet(1)};
        CHECK(total_by(total) == right);
        return total.report();
    };
    CHECK(forced("LANES=4").how == decision::served_forced);
    CHECK(has(forced("LANES=4").configuration, "LANES=4"));
    CHECK(forced("WAY=wrong").shapes.wrong == 1);
    CHECK(noticed(forced("WAY=throws"),
                  "did not compile (the generator of total.cpp threw: not this way") > 0);
}

TEST_CASE("a function that changed without its revision is verified by what it writes now")
{
    cache_folder const folder;
    std::string path = folder.path() + ".attune";
    auto const how = [&](auto const& write, float expected) {
        attune::kernel<total_signature> const kernel{
            "total", attune::generated_source(both, write, "total.cpp", "1"), both};
        attune::tuned total{kernel, counting_compiler{folder.options()}, attune::store{path},
                            quiet()};
        CHECK(total_by(total) == expected);
        return total.report();
    };
    auto const with_lanes = [](int count, char const* zero) {
        return [count, zero](auto const& config) {
            std::string text = text_of_total(config);
            if (config[lanes] >= count) text.replace(text.find("= 0 +") + 2, 1, zero);
            return text;
        };
    };
    attune::tuning_report const first = how(with_lanes(99, ""), right);
    REQUIRE(first.how == decision::tuned); // four lanes, or two
    std::filesystem::copy_file(path, path + ".first");
    attune::tuning_report const second = how(with_lanes(2, "3"), right);
    CHECK(second.how == decision::kept_default); // four lanes and two are wrong
    CHECK(noticed(second, "was wrong here (argument 1") > 0);
    CHECK(how(with_lanes(1, "3"), right + 3).shapes.wrong == 0); // all of them
    auto const one_lane = [](auto const& config) {
        if (config[lanes] > 1) throw std::runtime_error("no more");
        return text_of_total(config);
    };
    path += ".first";
    attune::tuning_report const third = how(one_lane, right);
    CHECK(third.how == decision::kept_default);
    CHECK(noticed(third, "threw: no more); tuning again") > 0);
}

TEST_CASE("a generator that fails for the default is an error with its words")
{
    cache_folder const folder;
    auto const text_of = [&](auto const& write) {
        attune::kernel<total_signature> const kernel{
            "total", attune::generated_source(both, write, "total.cpp", "1"), both};
        attune::tuned total{kernel, counting_compiler{folder.options()}, attune::memory_store{},
                            quiet()};
        return error_of([&] { (void)total_by(total); });
    };
    std::string const thrown = text_of([](auto const&) -> std::string { throw 1; });
    CHECK(has(thrown, "the default configuration of kernel 'total' did not compile"));
    CHECK(has(thrown, "the generator of total.cpp threw"));
    CHECK_FALSE(has(thrown, "the compiler said"));
    CHECK(has(text_of([](auto const&) { return std::string(); }),
              "kernel 'total' is not defined in total.cpp"));
    CHECK(has(text_of([](auto const&) { return std::string("int total(int x) { return x; }"); }),
              "'total' is declared in the program as void(std::span<float const>"));
}

TEST_CASE("a generated kernel is tuned on a device, and its launch reads the parameters")
{
    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto block = attune::ordinal<"BLOCK">(attune::values(32, 64)).with_default(32);
    static constexpr auto kind =
        attune::categorical<"KIND">("slow", "quick", "wrong").with_default("slow");
    static constexpr auto space = attune::space(block, kind);
    auto const write = [](auto const& config) {
        return "extern \"C\" __global__ void add(float const* x, float* y, int n)\n{\n"
               "    attune_emulated_cost(" +
               std::string(config[kind] == "slow" ? "300000" : "50000") +
               ");\n    int const i = blockIdx.x * " + std::to_string(config[block]) +
               " + threadIdx.x;\n    if (i < n) y[i] += " +
               (config[kind] == "wrong" ? "2 * " : "") + "x[i];\n}\n";
    };
    attune::kernel<void(std::span<float const>, std::span<float>, int)> kernel{
        "add", attune::generated_source(space, write, "add.cu", "1"), space};
    kernel.bind<2>(n).grid(attune::ceil_div(n, block)).block(block);
    emulated_compiler const compiler{{.driver = ATTUNE_EMULATED_CUDA}};
    attune::tuned add{kernel, compiler, attune::memory_store{}, quiet(6)};
    constexpr int count = 100; // so few that a final has time for its rounds under a sanitizer
    std::vector<float> from(count, 1.0f);
    std::vector<float> to(count, 2.0f);
    add(from, to, count);
    CHECK(to == std::vector<float>(count, 3.0f));
    INFO(add.report().summary());
    CHECK(add.report().how == decision::tuned);
    CHECK(has(add.report().configuration, "KIND=quick"));
    CHECK(attune::total(add.report().failures) == 2);
}

TEST_CASE("a generated kernel has declared defaults, and macros only for its own name")
{
    static constexpr auto open = attune::ordinal<"OPEN">(attune::values(1, 2));
    static constexpr auto fast = attune::flags<"FAST">("-O1", "-O3");
    static constexpr auto space = attune::space(lanes, fast);
    auto const write = [](auto const&) { return std::string("no C++"); };
    auto const named = [&](std::string name) {
        return attune::kernel<total_signature>{
            std::move(name), attune::generated_source(space, write, "k.cpp", "1"), space};
    };
    for (auto const& [name, macros] : {std::pair{"k", 0u}, std::pair{"k<LANES>", 1u}}) {
        auto const k = named(name);
        auto const tree = attune::detail::space_of_call(
            k.describe(), attune::detail::with_annotated_defaults(k.describe()), {});
        auto const v = attune::detail::make_variant(k.describe(), tree.describe(), tree.at(0));
        CHECK(v.macros.size() == macros);
        CHECK(v.flags == std::vector<std::string>{"-O1"});
    }
    static constexpr auto without = attune::space(open);
    attune::kernel<total_signature> const k{
        "k", attune::generated_source(without, write, "k.cpp", "1"), without};
    CHECK(has(error_of([&] { (void)attune::detail::with_annotated_defaults(k.describe()); }),
              "parameter OPEN, kernel k"));
}
