// tests/ship/bake_program.cpp - a program is tuned, baked, built by g++ alone, and computes the same.
// SPDX-License-Identifier: MIT
#include <attune/compile/system.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/constant_array.hpp>
#include <attune/core/error.hpp>
#include <attune/measure/bench.hpp>
#include <attune/remember/store.hpp>
#include <attune/ship/bake.hpp>
#include <attune/ship/export_header.hpp>
#include <attune/tune/program/nest.hpp>
#include <attune/tune/tuned.hpp>

#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../support/program_data.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/source_folder.hpp"
#include "../support/timed_bench.hpp"

namespace {

using attune::array;
using attune::detail::bake;
using attune::detail::find_program;
using attune::detail::run_process;
using support::some;

constexpr auto n = attune::input<"n", int>();
constexpr auto i = attune::axis<"i">();
constexpr auto j = attune::axis<"j">();
constexpr auto k = attune::axis<"k">();
constexpr auto A = array<"A", float, n, 40>().with_row_stride();
constexpr auto B = array<"B", float, 40, 48>();
constexpr auto b = array<"b", float, 48>();
constexpr auto C = array<"C", float, n, 48>();
constexpr auto layer =
    attune::nest<"layer">(C[i][j] = tanh(attune::sum(k)(A[i][k] * B[k][j]) + b[j]));

/// A release: prints what serves and what it computes, for the number of rows that it is given.
constexpr char const* release = R"(#include <attune/core/matrix_view.hpp>
#include <attune/ship/baked.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>
using type = void(attune::matrix_view<float const>, std::span<float const>, std::span<float const>,
                  std::span<float>, int);
static attune::baked<type> layer{attune::baked_kernel<"layer">};
static std::vector<float> some(std::size_t count)
{
    std::vector<float> out;
    for (std::size_t at = 0; at < count; ++at)
        out.push_back(static_cast<float>(static_cast<int>(at * 7 % 11) - 5) * 0.25f);
    return out;
}
int main(int, char** arguments)
{
    int const n = std::atoi(arguments[1]);
    std::size_t const rows = static_cast<std::size_t>(n);
    std::vector<float> a = some(rows * 44), b = some(40 * 48), bias = some(48), c(rows * 48);
    if (!std::strcmp(arguments[2], "short")) c.resize(1);
    // In place of the bias: an array that is written overlaps another one.
    bool const overlaps = !std::strcmp(arguments[2], "overlap");
    std::span<float const> const at = overlaps ? std::span<float const>(c).first(48) : bias;
    if (overlaps) for (std::size_t i = 0; i < 48; ++i) c[i] = bias[i];
    attune::matrix_view<float const> const in(a.data(), rows, 40, 44);
    std::printf("%s\n", std::string(layer.explain(in, b, at, c, n).configuration).c_str());
    std::fflush(stdout);
    layer(in, b, at, c, n);
    for (float const x : c)
        std::printf("%a\n", static_cast<double>(x));
}
)";

std::vector<float> wanted(int rows)
{
    auto const count = static_cast<std::size_t>(rows);
    std::vector<float> const a = some(count * 44);
    std::vector<float> c(count * 48);
    attune::matrix_view<float const> const in(a.data(), count, 40, 44);
    layer(in, some(40 * 48), some(48), c, rows);
    return c;
}

/// The default takes 8 ms, however busy the machine is.
class slow_default final : public attune_test::timed_bench {
public:
    explicit slow_default(attune_test::time_script& times)
        : timed_bench(times)
        , times_(times)
    {
    }
    [[nodiscard]] attune::first_run_result establish(attune::callable const& trusted,
                                                     double limit_s) override
    {
        times_.seconds[trusted.address] = 8e-3;
        return timed_bench::establish(trusted, limit_s);
    }

private:
    attune_test::time_script& times_;
};

constexpr auto W = attune::constant<"W", float, 50, 40>();
constexpr auto X = array<"X", float, 6, 40>();
constexpr auto Y = array<"Y", float, 6, 50>();
constexpr auto linear = attune::nest<"linear">(Y[i][j] = attune::sum(k)(X[i][k] * W[j][k]));

/// A release that calls with two arrays of weights in turns.
constexpr char const* release_of_weights = R"(#include <attune/core/constant_array.hpp>
#include <attune/ship/baked.hpp>
#include <cstdio>
#include <span>
#include <string>
#include <vector>
using type = void(std::span<float const>, attune::constant_view<float>, std::span<float>);
static attune::baked<type> linear{attune::baked_kernel<"linear">};
int main()
{
    std::vector<float> x(6 * 40), w(50 * 40), y(6 * 50);
    for (std::size_t at = 0; at < x.size(); ++at)
        x[at] = static_cast<float>(static_cast<int>(at * 7 % 11) - 5) * 0.25f;
    for (std::size_t at = 0; at < w.size(); ++at)
        w[at] = static_cast<float>(static_cast<int>(at * 7 % 11) - 5) * 0.25f;
    attune::constant_array<float> const first(w);
    for (float& one : w) one += 1;
    attune::constant_array<float> const second(w);
    std::printf("%s\n", std::string(linear.explain(x, first, y).configuration).c_str());
    for (int call = 0; call < 2; ++call) {
        linear(x, second, y);
        linear(x, first, y);
    }
    for (float const one : y) std::printf("%a\n", static_cast<double>(one));
    linear(x, second, y);
    for (float const one : y) std::printf("%a\n", static_cast<double>(one));
    std::printf("%d\n", first.kept_bytes() >= w.size() * 4 && second.kept_bytes() == first.kept_bytes());
}
)";

bool has_tools()
{
    for (char const* const tool : {"g++", "ld.bfd", "objcopy", "nm", "objdump", "ar", "sh"})
        if (find_program(tool).empty()) {
            MESSAGE("skipped: there is no " << tool);
            return false;
        }
    return true;
}

/// Bakes what a store has, and builds the program `main` of `text` with it. @return a variant
std::string build_release(support::scratch_directory const& folder, std::string const& store,
                          std::string const& stem, char const* text)
{
    static_cast<void>(bake({.store = store,
                            .levels = {"base"},
                            .compiler = "GNU 12",
                            .folder = folder.file("out"),
                            .stem = stem,
                            .writes_script = true}));
    std::string const include = "-I" + support::source_folder() + "include";
    support::write_file(folder.file("main.cpp"), text);
    auto const made =
        run_process({"env", "CXX=g++", "CXXFLAGS=" + include + " -Wall -Wextra -fno-exceptions",
                     "sh", folder.file("out/" + stem + ".sh")},
                    300);
    CHECK_MESSAGE(made.succeeded(), made.output);
    CHECK_MESSAGE(made.output.empty(), made.output); // no warning
    auto const linked =
        run_process({"g++", "-std=c++20", include, folder.file("main.cpp"),
                     folder.file("out/lib" + stem + ".a"), "-o", folder.file("main")},
                    300);
    REQUIRE_MESSAGE(linked.succeeded(), linked.output);
    return support::read_file(folder.file("out/" + stem + "_0_base.cpp"));
}

} // namespace

TEST_CASE("a program that was tuned is baked from its store, and built without a JIT")
{
    if (!has_tools()) return;
    auto const [folder, store] = support::scratch_file("layer.attune");
    std::string winner;
    {
        std::vector<float> const a = some(64 * 44), weights = some(40 * 48), bias = some(48);
        std::vector<float> c(64 * 48);
        attune::matrix_view<float const> const in(a.data(), 64, 40, 44);
        attune_test::time_script times{.others = 1e-3};
        attune::tuning_options options = support::few(3);
        options.measuring.make_bench = [&times](auto const&, auto const&) {
            return std::unique_ptr<attune::bench>(std::make_unique<slow_default>(times));
        };
        attune::tuned fast{layer.kernel(), attune::system_compiler{{"g++", {"-O2", "-std=c++20"}}},
                           attune::store{store}, options};
        fast(in, weights, bias, c, 64);
        support::check_close(c, wanted(64));
        winner = fast.report().configuration;
        CHECK(fast.report().how == attune::decision::tuned);
    }
    std::vector<attune::record> const winners =
        attune::detail::winners_in(support::read_file(store), store, {}, false);
    REQUIRE(winners.size() == 1);
    attune::record const& kept = winners[0];
    CHECK(kept.generated.is_plain);
    CHECK_FALSE(kept.generated.loops.empty());
    CHECK(kept.generated.text.find(winner) != std::string::npos);
    std::string baked; // a release does not know which values are inactive
    for (auto const& [name, value] : kept.configuration)
        baked += (baked.empty() ? "" : " ") + name + '=' + value;
    std::string const unit = build_release(folder, store, "layer", release);
    CHECK(unit.find("\nstatic void layer_program(") != std::string::npos);
    CHECK(unit.find("//     C_sum[i][j] = sum(k)(A[i][k] * B[k][j])\n"
                    "//     C[i][j] = tanh(C_sum[i][j] + b[j])\n") != std::string::npos);
    auto const run = [&](int rows, char const* how) {
        return run_process({folder.file("main"), std::to_string(rows), how}, 60).output;
    };
    auto const check = [&](int rows, char const* how, std::string const& serves) {
        std::string const text = run(rows, how);
        std::size_t at = text.find('\n');
        CHECK(text.substr(0, at) == serves);
        std::vector<float> got;
        while (at != text.npos && at + 1 < text.size()) {
            got.push_back(std::stof(text.substr(at + 1)));
            at = text.find('\n', at + 1);
        }
        support::check_close(got, wanted(rows));
    };
    check(64, "", baked);
    check(1, "overlap", "the plain nest"); // the bias is read before its place is written
    check(131, "", "the plain nest");      // larger than what was verified
    CHECK(run(64, "short").find("attune: layer: the array C has another number of elements") !=
          std::string::npos);
}

TEST_CASE("a release packs constant weights at the first call, each array's once")
{
    if (!has_tools()) return;
    auto const [folder, store] = support::scratch_file("linear.attune");
    std::vector<float> const x = some(6 * 40);
    std::vector<float> numbers = some(50 * 40);
    {
        attune::program_options options{.rules = attune::default_schedule_rules()};
        for (attune::schedule_rule& rule : options.rules)
            if (rule.name == "product")
                rule.declare = [declare = rule.declare](attune::rule_subject const& subject,
                                                        attune::space_builder& space) {
                    declare(subject, space);
                    space.where(space.is("READ_W", "kept"));
                };
        attune::tuned fast{linear.kernel(options),
                           attune::system_compiler{{"g++", {"-O2", "-std=c++20"}}},
                           attune::store{store}, support::few(1)}; // the plain nest keeps nothing
        attune::constant_array<float> const weights(numbers);
        std::vector<float> y(6 * 50);
        fast(x, weights, y);
    }
    std::string const unit = build_release(folder, store, "linear", release_of_weights);
    CHECK(unit.find("#include <attune/core/constant_array.hpp>\n") != std::string::npos);
    CHECK(unit.find("\nstatic void linear_program_fill_W_copy(") != std::string::npos);
    std::string const text = run_process({folder.file("main")}, 60).output;
    CHECK(text.find("READ_W=kept") < text.find('\n'));
    std::vector<float> got;
    for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1))
        got.push_back(std::stof(text.substr(at + 1)));
    REQUIRE(got.size() == 2 * 6 * 50 + 1);
    CHECK(got.back() == 1);
    got.pop_back();
    std::vector<float> want(6 * 50), of_second(6 * 50);
    attune::constant_array<float> const first(numbers);
    linear(x, first, want);
    for (float& one : numbers)
        one += 1;
    attune::constant_array<float> const second(numbers);
    linear(x, second, of_second);
    want.insert(want.end(), of_second.begin(), of_second.end());
    support::check_close(got, want);
}

TEST_CASE("a store with a flipped bit or a lost end bakes what was tuned, or is refused")
{
    std::string const whole =
        support::read_file(support::source_folder() + "tests/baked/layer.attune");
    std::size_t const winner = whole.rfind("\n{\"at\"") + 1;
    support::scratch_directory const folder;
    auto const bake_text = [&](std::string const& text) {
        std::filesystem::remove_all(folder.file("out"));
        support::write_file(folder.file("layer.attune"), text);
        static_cast<void>(bake({.store = folder.file("layer.attune"),
                                .levels = {"base"},
                                .compiler = "GNU 12",
                                .folder = folder.file("out"),
                                .stem = "layer"}));
        return support::read_file(folder.file("out/layer_0_base.cpp")) +
               support::read_file(folder.file("out/layer_default.cpp"));
    };
    std::string const good = bake_text(whole);
    auto const is_refused = [&](std::string const& text) {
        try {
            std::string const baked = bake_text(text); // CHECK would catch what it throws
            CHECK(baked == good);
            return false;
        } catch (attune::error const&) {
            CHECK_FALSE(std::filesystem::exists(folder.file("out")));
            return true;
        }
    };
    for (std::size_t at = winner; at + 60 < whole.size(); at += 211) {
        CAPTURE(at);
        std::string flipped = whole;
        flipped[at] = static_cast<char>(flipped[at] ^ 1);
        CHECK(is_refused(flipped));
        CHECK(is_refused(whole.substr(0, at)));
    }
    // Lines without a checksum are a person's: then the text has to have the fingerprint it had.
    std::size_t const sum = whole.rfind(",\"sum\":");
    std::string const edited = whole.substr(0, sum) + "}\n";
    CHECK_FALSE(is_refused(edited));
    for (char const* const part : {"Y_sum_part", "for (long", "std::abort"}) {
        CAPTURE(std::string(part));
        std::size_t const at = edited.find(part, winner);
        REQUIRE(at != edited.npos);
        std::string changed = edited;
        changed[at] = 'Z';
        CHECK(is_refused(changed));
    }
}
