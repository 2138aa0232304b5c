// attune/ship/check/check_baked.hpp - runs builds of a baked kernel beside its default, before a release.
// SPDX-License-Identifier: MIT
//
// attune_bake(... SHAPES ...) runs it on the machine that builds: code of the release's compiler
// for each instruction set of this processor, by the rules of the tuner (verify_shape()).
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/element.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/instruction_level.hpp>
#include <attune/ship/check/filled_call.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/shape/shape_check.hpp>
#include <attune/tune/shape/shape_trust.hpp>
#include <attune/tune/shape/variant_proof.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// kernel.tolerate<argument>(within); the result follows the last argument.
struct check_tolerance {
    std::size_t argument = 0;
    tolerance within{};
};

struct check_request {
    baked_table const& table;
    baked_list<std::int64_t> shapes{}; ///< listed_shapes(), one after another
    baked_list<check_tolerance> tolerances{};
    char const* mark = "";
};

/// Wall seconds for the whole check of a kernel.
inline constexpr double check_limit_s = 60;

/// Places of arrays, in the numbers that allocators give. First all arrays are alike at each
/// multiple of 16 bytes; then each two of ten arrays differ in one of the places.
/// @param word    word to set; several_places of build_proofs.hpp is negative
/// @param arrays  number of arrays in the word, at most place_bits::arrays
[[nodiscard]] inline std::vector<std::int64_t> places_for(std::int64_t word, std::size_t arrays)
{
    if (word >= 0) return {word};
    std::vector<std::int64_t> out;
    auto const add = [&](auto const& place_of) {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < arrays; ++i)
            all |= std::uint64_t{place_of(i)} << (place_bits::per_array * i);
        out.push_back(static_cast<std::int64_t>(all));
    };
    for (std::size_t place = 0; place < 64; place += 16)
        add([&](std::size_t) { return place; });
    if (arrays > 1) add([](std::size_t i) { return 16 * (i & 3u); });
    if (arrays > 4) add([](std::size_t i) { return 16 * (i >> 2 & 3u); });
    return out;
}

template <class Signature>
class baked_check;
/// Runs each build of a table that this processor can run on each call, and compares with the
/// default. Does not run a shape if all its properties were verified for a build.
template <class Result, class... Args>
class baked_check<Result(Args...)> {
public:
    explicit baked_check(check_request const& asked)
        : asked_(asked)
        , mine_(level_of(words_of_this_processor()))
    {
        choice_.bound.resize(sizeof...(Args));
        choice_.ignored.resize(sizeof...(Args));
        choice_.any_shape = asked.table.any_shape;
        choice_.any_alignment = asked.table.any_alignment;
        for (std::size_t const i : asked.table.inputs)
            if (i < sizeof...(Args)) choice_.bound[i] = true;
        for (std::size_t const i : asked.table.ignored)
            if (i < sizeof...(Args)) choice_.ignored[i] = true;
        for (check_tolerance const& one : asked.tolerances) {
            if (tolerances_.size() <= one.argument) tolerances_.resize(one.argument + 1);
            tolerances_[one.argument] = one.within;
        }
    }

    /// The text for checked_builds_in().
    [[nodiscard]] std::string run()
    {
        out_ = "attune_checked " + std::string(asked_.mark) + '\n';
        std::string why;
        auto const look = [&]<class T>(std::type_identity<T>) {
            if (why.empty()) why = reason_not_to_fill<T>();
        };
        (look(std::type_identity<Args>{}), ...);
        if constexpr (!std::is_void_v<Result>)
            if (!std::is_arithmetic_v<Result>) why = "it returns something else than a number";
        std::vector<shape_word> const layout = shape::layout();
        if (!std::equal(layout.begin(), layout.end(), asked_.table.layout.begin(),
                        asked_.table.layout.end()))
            why = "the kernel file has another type than the kernel that was tuned";
        if (!why.empty()) {
            say("its code is not verified by this build: " + why);
            return out_;
        }
        if constexpr ((... && (*reason_not_to_fill<Args>() == '\0')) &&
                      (std::is_void_v<Result> || std::is_arithmetic_v<Result>))
            run_all();
        return out_;
    }

private:
    using shape = shape_of_call<Args...>;
    using key = typename shape::key;

    struct subject {
        std::size_t variant = 0;
        baked_build const* build = nullptr;
        shape_trust trust;
    };

    void say(std::string const& text) { out_ += "said " + text + '\n'; }

    [[nodiscard]] static std::string level_name(instruction_level level)
    {
        return std::string(instruction_level_names[static_cast<std::size_t>(level)]);
    }

    void run_all()
    {
        std::set<std::string> beyond;
        for (std::size_t v = 0; v < asked_.table.variants.count; ++v) {
            baked_variant const& variant = asked_.table.variants[v];
            for (baked_build const& build : variant.builds)
                if (runs(mine_, build.level))
                    subjects_.push_back(
                        {v,
                         &build,
                         {shape::layout(), {variant.divisors.begin(), variant.divisors.end()}}});
                else
                    beyond.insert(level_name(build.level));
        }
        for (std::string const& level : beyond)
            say("code for " + level + " is not verified by this build: this processor lacks it");
        double const begun_s = system_clocks{}.wall_s();
        make_calls();
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            double const left_s = check_limit_s - (system_clocks{}.wall_s() - begun_s);
            check(subjects_[i], left_s / static_cast<double>(subjects_.size() - i));
        }
        for (auto const& [why, calls] : undecided_)
            say(std::to_string(calls.size()) + " shapes were not verified: " + why);
    }

    struct checked_call {
        key words{};  ///< as listed, with a place
        key called{}; ///< in the form of the kernel's calls
    };

    void make_calls()
    {
        for (std::size_t at = 0; at + shape::size <= asked_.shapes.count; at += shape::size) {
            key words{};
            std::copy_n(asked_.shapes.begin() + at, shape::size, words.begin());
            if constexpr (shape::place_words == 0)
                make_call(words);
            else
                make_calls_at(words);
        }
    }

    /// Makes calls at each place. Arrays of further words lie like those of the first word.
    void make_calls_at(key const& words)
    {
        constexpr std::size_t first = shape::size - shape::place_words;
        std::size_t const arrays = std::min(shape::array_count, place_bits::arrays);
        for (std::int64_t const one : places_for(words[first], arrays)) {
            key placed = words;
            placed[first] = one;
            std::size_t left = shape::array_count - arrays;
            for (std::size_t i = first + 1; i < shape::size; ++i) {
                std::size_t const mine = std::min(left, place_bits::arrays);
                std::int64_t const all = (std::int64_t{1} << (place_bits::per_array * mine)) - 1;
                if (placed[i] < 0) placed[i] = one & all;
                left -= mine;
            }
            make_call(placed);
        }
    }

    void make_call(key const& words)
    {
        std::size_t const mine = ~none_++; // not the number of a call
        if constexpr (shape::can_overlap)
            if (words[shape::size - shape::place_words - 1] != 0)
                return note(mine, "arrays overlap");
        call_memory memory;
        auto const args = filled_call<Result(Args...)>::make(words, choice_, memory);
        if (!args) return note(mine, "there is no such call, or it takes more than 1 GiB");
        if (frame_of(*args).has_only_empty_arrays()) return note(mine, "its arrays are empty");
        calls_.push_back({words, std::apply(shape(choice_), *args)});
    }

    [[nodiscard]] call_frame frame_of(std::tuple<Args...> const& args) const
    {
        return std::apply(
            [&](Args const&... all) { return make_frame_of<Result, Args...>(tolerances_, all...); },
            args);
    }

    [[nodiscard]] static callable code_at(baked_code (*address)() noexcept)
    {
        callable out;
        out.address = reinterpret_cast<void*>(address());
        return out;
    }

    /// Runs most calls in a single child. A call with a wrong result runs again in a separate
    /// child.
    void check(subject& one, double limit_s)
    {
        double const begun_s = system_clocks{}.wall_s();
        shape_trust expected = one.trust;
        std::vector<std::size_t> chosen;
        for (std::size_t i = 0; i < calls_.size(); ++i)
            if (!expected.covers(calls_[i].called)) {
                expected.add(calls_[i].called);
                chosen.push_back(i);
            }
        callable const trusted = code_at(asked_.table.fallback);
        callable const tried = code_at(one.build->address);
        call_memory memory;
        auto const frame_at = [&](std::size_t call) {
            memory = {};
            auto const args =
                filled_call<Result(Args...)>::make(calls_[call].words, choice_, memory);
            return frame_of(*args);
        };
        auto const left_s = [&] { return limit_s - (system_clocks{}.wall_s() - begun_s); };
        for (std::size_t first = 0; first < chosen.size(); first += calls_of_a_child) {
            std::size_t const count = std::min(calls_of_a_child, chosen.size() - first);
            shape_proof const proof = prove_shapes(
                kernel_, count, [&](std::size_t i) { return frame_at(chosen[first + i]); }, trusted,
                tried, left_s());
            for (std::size_t i = 0; i < count && !one.trust.is_distrusted(); ++i) {
                std::size_t const call = chosen[first + i];
                if (proof.results[i] == call_result::right) {
                    tell_right(one, call);
                } else if (left_s() <= 0) {
                    note(call, "not reached within " +
                                   std::to_string(static_cast<int>(check_limit_s)) + " s");
                } else {
                    check_alone(one, call, frame_at(call), trusted, tried, left_s());
                }
            }
        }
    }

    void check_alone(subject& one, std::size_t call, call_frame const& frame,
                     callable const& trusted, callable const& tried, double limit_s)
    {
        shape_verdict const verdict =
            verify_shape(kernel_, frame, trusted, tried, {.check_s = limit_s});
        if (verdict.how == shape_verdict::ending::right) return tell_right(one, call);
        std::string why = verdict.why.reason;
        std::replace(why.begin(), why.end(), '\n', ' ');
        if (verdict.how == shape_verdict::ending::unknown)
            return note(call, "the default could not be run, " + why);
        one.trust.distrust();
        out_ += "wrong" + name_of(one) + ' ' + text_of_shape(shape::layout(), calls_[call].called) +
                " (" + std::string(describe(verdict.why.stage)) + ": " + why + ")\n";
    }

    [[nodiscard]] static std::string name_of(subject const& one)
    {
        return ' ' + std::to_string(one.variant) + ' ' + level_name(one.build->level);
    }

    void tell_right(subject& one, std::size_t call)
    {
        one.trust.add(calls_[call].called);
        out_ += "right" + name_of(one);
        for (std::int64_t const word : calls_[call].called)
            out_ += ' ' + std::to_string(word);
        out_ += '\n';
    }

    /// @param call  counts once, for all builds
    void note(std::size_t call, std::string const& why) { undecided_[why].insert(call); }

    static constexpr std::size_t calls_of_a_child = 1'000;

    check_request asked_;
    instruction_level mine_;
    shape_choice choice_{};
    std::vector<std::optional<tolerance>> tolerances_{};
    kernel_description kernel_{};
    std::vector<subject> subjects_{};
    std::vector<checked_call> calls_{};
    std::size_t none_ = 0; ///< number of shapes without a call
    std::map<std::string, std::set<std::size_t>> undecided_{};
    std::string out_{};
};

/// The program of <stem>_check.cpp: writes its results to the given file.
template <class Signature>
int check_main(check_request const& asked, int count, char const* const* arguments)
{
    try {
        if (count != 2)
            throw error("the name of the file for the results is missing", "attune_bake",
                        "give it as the only argument");
        replace_file(arguments[1], baked_check<Signature>(asked).run());
        return 0;
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
