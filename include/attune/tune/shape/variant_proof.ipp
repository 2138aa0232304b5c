// attune/tune/shape/variant_proof.ipp - finds the formulas of lengths by the default, then proves in rounds in children.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/random.hpp>
#include <attune/core/shape/call_arguments.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/shape/shape_check.hpp>
#include <attune/tune/shape/variant_proof.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <optional>
#include <random>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The progress that parent and child share. A variant may overwrite it. A call is therefore right
/// only if its mark has the expected value: a random write has it with probability 2^-64.
struct proof_progress {
    static constexpr std::size_t most_calls = 1024;

    std::atomic<std::size_t> at{0}; ///< index of the current call; between calls, of the next one
    std::atomic<double> begun_s{0}; ///< start of the current call
    std::array<std::atomic<std::uint64_t>, most_calls> marks{};
};

[[nodiscard]] inline std::uint64_t proof_mark(std::uint64_t secret, std::size_t call,
                                              call_result result)
{
    std::uint64_t out =
        (secret ^ (4 * call + static_cast<std::uint64_t>(result) + 1)) * 0xbf58476d1ce4e5b9u;
    out ^= out >> 31;
    return (out * 0x94d049bb133111ebu) | 1u;
}

inline constexpr int most_proof_children = 16;

[[nodiscard]] inline call_result result_of(shape_verdict const& verdict)
{
    using ending = shape_verdict::ending;
    if (verdict.how == ending::right && !verdict.is_slower) return call_result::right;
    bool const is_wrong =
        verdict.how == ending::wrong && verdict.why.stage != failure_stage::timeout;
    return is_wrong ? call_result::wrong : call_result::unknown;
}

ATTUNE_INLINE shape_proof prove_shapes(kernel_description const& kernel, std::size_t count,
                                       std::function<call_frame(std::size_t)> const& frame_at,
                                       callable const& trusted, callable const& tried,
                                       double limit_s, isolation protect, double call_limit_s,
                                       std::function<bool()> const& is_over)
{
    system_clocks const clocks;
    double const begun_s = clocks.wall_s();
    auto const is_stopped = [&] { return stop_is_requested() || (is_over && is_over()); };
    count = std::min(count, proof_progress::most_calls);
    shape_proof out;
    out.results.resize(count, call_result::unknown);
    try {
        if (choose_isolation(protect, observe_process()).how != isolation::fork) return out;
        shared_with_child<proof_progress> const shared;
        proof_progress& progress = shared.get();
        std::uint64_t const secret =
            (std::uint64_t{std::random_device{}()} << 32) ^ std::random_device{}();
        std::size_t from = 0;
        for (int child = 0; child < most_proof_children && from < count; ++child) {
            double const left_s = limit_s - (clocks.wall_s() - begun_s);
            if (left_s <= 0 || is_stopped()) break;
            auto const run = [&] {
                for (std::size_t i = from; i < count; ++i) {
                    progress.begun_s.store(clocks.wall_s());
                    progress.at.store(i);
                    if (clocks.wall_s() - begun_s > limit_s) break;
                    call_frame const frame = frame_at(i);
                    if (!takes_call(kernel, frame)) {
                        progress.marks[i].store(proof_mark(secret, i, call_result::not_taken));
                        progress.at.store(i + 1);
                        continue;
                    }
                    shape_verdict const verdict = verify_shape(kernel, frame, trusted, tried,
                                                               {.check_s = call_limit_s,
                                                                .compares_times = !kernel.objective,
                                                                .is_one_of_many = true},
                                                               isolation::guard);
                    progress.marks[i].store(proof_mark(secret, i, result_of(verdict)));
                    progress.at.store(i + 1);
                    // A crash may have damaged this child's memory.
                    if (verdict.how == shape_verdict::ending::wrong &&
                        verdict.why.stage != failure_stage::verify)
                        break;
                }
            };
            child_limits limits;
            limits.run_s = left_s + call_limit_s;
            limits.run_until_s = [&] {
                if (is_stopped()) return 0.0;
                double const since_s = progress.begun_s.load();
                return since_s > 0 ? since_s + 2 * call_limit_s : 1e18;
            };
            progress.begun_s.store(clocks.wall_s());
            child_end const end = run_in_child(run, {}, limits);
            std::size_t const at = std::max(progress.at.load(), from);
            bool const is_up = clocks.wall_s() - begun_s > limit_s || is_stopped();
            bool const is_cut = is_up && end.ending != child_ending::returned;
            from = end.ending == child_ending::returned || is_cut ? at : at + 1;
            out.tried = std::min(from, count);
            if (is_up) break;
        }
        for (std::size_t i = 0; i < count; ++i)
            for (call_result const one :
                 {call_result::right, call_result::wrong, call_result::not_taken})
                if (progress.marks[i].load() == proof_mark(secret, i, one)) out.results[i] = one;
    } catch (std::exception const&) {
        // No memory or no child: nothing is proven.
    }
    out.elapsed_s = clocks.wall_s() - begun_s;
    return out;
}

ATTUNE_INLINE call_frame sized_arrays::make(call_frame const& frame, drawn_call const& call)
{
    constexpr std::size_t line = 64;
    blocks_.clear();
    call_frame out = frame.resized ? frame.resized(call.sizes) : frame;
    std::size_t array = 0;
    for (std::size_t i = 0; i < out.arguments.size(); ++i) {
        call_argument const& one = out.arguments[i];
        if (one.buffer == call_argument::by_value) continue;
        std::int64_t const place =
            array < call.places.size() ? call.places[array] : drawn_call::unchanged;
        ++array;
        buffer& its = out.buffers[one.buffer];
        std::size_t const count = call.sizes[i] == drawn_call::unchanged
                                      ? (*out.elements)[one.buffer]
                                      : static_cast<std::size_t>(call.sizes[i]);
        bool const is_longer = count > (*out.elements)[one.buffer];
        bool const is_own = call.contents == array_contents::own;
        bool const varies = is_own && !call.keeps_numbers;
        bool const is_as_before = is_own && !(varies && is_one_number(its));
        if (!is_longer && place == drawn_call::unchanged && is_as_before) continue;
        std::size_t const bytes = count * one.element_bytes;
        std::size_t const wanted = place == drawn_call::unchanged
                                       ? reinterpret_cast<std::uintptr_t>(its.data) % line
                                       : static_cast<std::size_t>(place);
        blocks_.push_back(std::make_unique<std::byte[]>(bytes + 2 * line));
        std::byte* const block = blocks_.back().get();
        std::size_t const has = reinterpret_cast<std::uintptr_t>(block) % line;
        std::byte* const to = block + (line - has) + wanted;
        // Repeat an odd number of elements: with a power of two, a wrong index that overflows would
        // read equal elements.
        std::size_t const has_elements = its.bytes / one.element_bytes;
        bool const is_even = has_elements > 1 && has_elements % 2 == 0;
        std::size_t const period = (has_elements - (is_even ? 1 : 0)) * one.element_bytes;
        for (std::size_t at = 0; at < bytes && period > 0; at += period)
            std::memcpy(to + at, its.data, std::min(at == 0 ? its.bytes : period, bytes - at));
        its.data = to;
        its.bytes = bytes;
        if (varies && is_one_number(its)) vary(its);
        static_cast<void>(fill_contents(its, call.contents, are_declared_));
        (*out.elements)[one.buffer] = count;
    }
    return out;
}

/// Returns the number with these bytes.
template <class Number>
[[nodiscard]] Number number_of_bytes(std::span<std::byte const> bytes)
{
    Number out{};
    std::memcpy(&out, bytes.data(), std::min(sizeof out, bytes.size()));
    return out;
}

/// One call of prove_variant().
class proving {
public:
    proving(proof_subject const& of, std::span<std::int64_t const> key, call_frame const& frame,
            proof_limits const& limits)
        : of_(of)
        , key_(key)
        , frame_(frame)
        , limits_(limits)
        , begun_s_(clocks_.wall_s())
        , wrong_(limits.wrong)
        , relations_(relations_of(of.layout, key, of.choice, of.kernel.lengths))
    {
        for (size_relations::dependent& one : relations_.words)
            if (is_length(one) && frame.arguments[of.layout[one.word].argument].has_fixed_length)
                one = {one.word, {}, false};
        // Without integers, a length is the size; lengths that equal it need no trial.
        bool const has_numbers = !relations_.words.empty() && !is_length(relations_.words.front());
        for (size_relations::dependent const& one : relations_.words)
            is_settled_.push_back(
                !is_length(one) || one.may_be.empty() ||
                (!has_numbers && one.may_be.front() == size_formula{.factors = {0}}));
    }
    [[nodiscard]] bool has_sizes() const
    {
        return relations_.can_change() && !relations_.words.front().may_be.empty();
    }

    /// Keeps for each length the formula with which the default works.
    void settle_relations()
    {
        // If a length follows none of its formulas, the trials of other lengths fail too. Repeat
        // them with that length unchanged.
        std::vector<size_relations::dependent> const all = relations_.words;
        try_formulas(all);
        if (std::count(is_settled_.begin(), is_settled_.end(), false) > 1) try_formulas(all);
    }

    /// Proves the variant on drawn calls, first with the call's own floating-point numbers. If the
    /// variant is then wrong for a call with other numbers whose properties are proven, these
    /// numbers may be invalid for the kernel: only calls with the call's own numbers count.
    void prove(shape_trust trust, variant_proof& out)
    {
        refute(trust, out);
        call_draws draws(drawn(), hash_of_shape(key_) + limits_.round, limits_.calls);
        bool const has_scalars = draws.has_scalars() && !limits_.only_own_numbers;
        double const for_scalars_s = has_scalars ? limits_.proof_s / 4 : 0;
        // Run calls at any address before a property is proven. A variant may be wrong only for a
        // size at an address: that refutes it as soon as both are proven one by one. Beside the
        // program, run fewer in each part of a proof, because another thread may end it.
        std::size_t const most_first = limits_.take ? 32 : 96;
        double const for_first_s =
            std::min(limits_.take ? 0.05 : 0.25, (left_s() - for_scalars_s) / 8);
        run_calls_that_meet(draws.any_calls(most_first, static_cast<bool>(limits_.take)),
                            for_first_s, out);
        prove_rounds(draws, trust, out, for_scalars_s);
        compare(draws, trust, out);
        if (limits_.larger && out.refuting.empty()) {
            call_draws large(drawn(), hash_of_shape(key_) + limits_.round + 1, *limits_.larger);
            constexpr double of_end = 0.25; // a call that has begun may end later
            prove_rounds(large, trust, out, std::max(for_scalars_s, of_end * limits_.proof_s));
        }
        if (has_scalars && out.refuting.empty() && left_s() > 0) {
            draws.change_scalars();
            shape_trust const of_own = trust;
            variant_proof others;
            prove_rounds(draws, trust, others, 0, true);
            out.only_own_numbers = has_wrong(trust);
            if (!out.only_own_numbers)
                out.right.insert(out.right.end(), others.right.begin(), others.right.end());
            out.open.insert(out.open.end(), others.open.begin(), others.open.end());
            out.wrong.insert(out.wrong.end(), others.wrong.begin(), others.wrong.end());
            refute(of_own, out);
        }
        if (first_wrong_) out.differs = shrunk(draws, *std::move(first_wrong_));
    }

    /// The same with calls of the user's function. First the arrays have the alignments of the
    /// tuned call; then right calls with long arrays run at other addresses. Calls of little sizes
    /// come first: they take little time, and prove most properties. Beside the program, they have
    /// run already.
    void prove_by_user(shape_trust trust, variant_proof& out)
    {
        constexpr std::int64_t medium = 4096;
        made_calls made{.seed = limits_.round << 32};
        refute(trust, out);
        double const for_rest_s = limits_.proof_s / 8;
        auto const up_to = [&](std::int64_t most, double share) {
            prove_made({.most = most}, left_s() - (left_s() - for_rest_s) / share, trust, made,
                       out);
        };
        if (!limits_.take) up_to(0, 3);
        std::int64_t const largest = prove_larger(for_rest_s, trust, made, out);
        if (limits_.take) up_to(largest, 3);
        up_to(std::min(largest, medium), 2);
        if (limits_.take) up_to(0, 1);
        if (!limits_.take && largest > medium) up_to(largest, 1);
        out.trouble = made.trouble;
        if (made.first_wrong) {
            sized_arrays memory;
            out.differs = described(again(*made.first_wrong, memory), made.first_wrong->key);
        }
        if (!limits_.has_compared) {
            sized_arrays memory;
            out.has_compared =
                try_baseline(made.right, std::max(left_s(), for_rest_s) / 4, out,
                             [&](made_call const& one) { return again(one, memory); });
        }
        if (!out.refuting.empty()) return;
        std::vector<made_call> elsewhere = made_elsewhere(made.long_ones, trust);
        shape_proof const now = run(elsewhere, left_s());
        note_wrong(elsewhere, now, out);
        for (std::size_t i = 0; i < now.tried; ++i)
            if (is_right(now, i)) {
                trust.add(elsewhere[i].key);
                out.right.push_back(std::move(elsewhere[i].key));
            }
        refute(trust, out);
    }

private:
    /// A call of the user's function, which equal draws make again.
    struct made_call {
        std::uint64_t seed = 0;
        drawn_sizes which{};
        std::vector<std::int64_t> key{};
        std::size_t bytes = 0;
        std::optional<call_frame> frame{}; ///< empty: the call is too large to keep
    };
    /// The results of calls of the user's function.
    struct made_calls {
        std::vector<made_call> right{};     ///< the first ones, to compare with the user's own code
        std::vector<made_call> long_ones{}; ///< right ones that run all loops of a variant
        std::optional<made_call> first_wrong{};
        std::uint64_t seed = 0;   ///< of the next draw
        bool are_limited = false; ///< of the last draws: some sizes could be larger
        double slowest_s = 0;     ///< most seconds to make one of the last draws
        double most_bytes = 0;    ///< most bytes of one of the last draws
        std::string trouble{};    ///< the exception of the user's function: no more draws
    };
    /// Proves in rounds with calls of the user's function, until a round proves little.
    /// @param until_s  left_s() at the end
    void prove_made(drawn_sizes which, double until_s, shape_trust& trust, made_calls& made,
                    variant_proof& out)
    {
        constexpr int most_rounds = 12;
        constexpr std::size_t most_kept = 16; // their arrays are in memory
        for (int round = 0; round < most_rounds && left_s() > until_s && out.refuting.empty() &&
                            made.trouble.empty();
             ++round) {
            std::vector<made_call> const calls = made_by_user(trust, which, until_s, made);
            if (calls.empty()) break;
            shape_proof const now = run(calls, left_s() - until_s);
            std::size_t const before = out.right.size();
            std::size_t const right = take_all(trust, calls, now, out);
            note_wrong(calls, now, out);
            refute(trust, out);
            for (std::size_t i = 0; i < now.tried; ++i) {
                if (is_right(now, i) && made.right.size() < most_kept)
                    made.right.push_back(calls[i]);
                if (is_right(now, i) && made.long_ones.size() < most_kept && is_long(calls[i].key))
                    made.long_ones.push_back(calls[i]);
                if (now.results[i] == call_result::wrong && !made.first_wrong)
                    made.first_wrong = calls[i];
            }
            if (limits_.take && out.refuting.empty()) {
                limits_.take(
                    {out.right.begin() + static_cast<std::ptrdiff_t>(before), out.right.end()});
                out.right.resize(before);
            }
            if (which.are_large || right * 16 < now.tried || now.tried == 0) break;
        }
    }
    /// Proves with few calls of large sizes. Each step has twice the sizes of the one before, and
    /// so up to eight times the elements, as the last two steps show.
    /// @return  the limit of sizes of the last step, 0 if there was none; no_limit if the function's
    ///          own is lower
    std::int64_t prove_larger(double kept_s, shape_trust& trust, made_calls& made,
                              variant_proof& out)
    {
        constexpr double usual_growth = 4; // of time and memory, from one step to the next
        auto const next = [](double last, double before) {
            return last * (before > 0 ? std::clamp(last / before, 2.0, 8.0) : usual_growth);
        };
        double slowest_s = 0;
        double bytes = 0;
        std::int64_t done = 0;
        for (std::int64_t most = 256; out.refuting.empty() && made.trouble.empty(); most *= 2) {
            double const half_s = (left_s() - kept_s) / 2;
            if (half_s <= 0 || next(made.slowest_s, slowest_s) > half_s ||
                next(made.most_bytes, bytes) > static_cast<double>(largest_calls().most_bytes))
                break;
            slowest_s = made.slowest_s;
            bytes = made.most_bytes;
            made.are_limited = true;
            prove_made({.most = most, .are_large = true}, kept_s + half_s, trust, made, out);
            if (!made.are_limited || most > drawn_sizes::no_limit / 2) return drawn_sizes::no_limit;
            done = most;
        }
        return done;
    }
    [[nodiscard]] draw_limits const& largest_calls() const
    {
        return limits_.larger ? *limits_.larger : limits_.calls;
    }
    /// More calls for floating-point numbers: code may fail for a few numbers with equal
    /// properties.
    static constexpr std::size_t most_meetings = 256;
    static constexpr std::size_t most_meetings_of_numbers = proof_progress::most_calls;

    /// Proves in rounds of calls, until a round proves little. Then runs run_meetings().
    /// @param kept_s      seconds to leave
    /// @param of_numbers  true: calls have other floating-point numbers, and limits_.take gets none
    void prove_rounds(call_draws& draws, shape_trust& trust, variant_proof& out, double kept_s,
                      bool of_numbers = false)
    {
        constexpr std::size_t most_calls = 1'000;
        constexpr int most_rounds = 4;
        constexpr int most_with_refusals =
            16; // kernel.precondition(f) refuses calls at little cost
        bool has_refusals = false;
        double const for_meetings_s = kept_s + (left_s() - kept_s) / (of_numbers ? 2 : 8);
        double const draws_until_s = for_meetings_s + (left_s() - for_meetings_s) / 2;
        for (int round = 0; round < (has_refusals ? most_with_refusals : most_rounds) &&
                            left_s() > for_meetings_s && out.refuting.empty();
             ++round) {
            shape_trust expected = trust;
            std::vector<drawn_call> calls =
                draws.chosen(expected, most_calls, [&] { return left_s() < draws_until_s; });
            if (calls.empty()) break;
            sort_stably(calls, [](auto const& a, auto const& b) { return a.work < b.work; });
            group_counts const counts =
                run_in_groups(draws, calls, for_meetings_s, trust, out, of_numbers);
            has_refusals = counts.refused > 0;
            bool const is_little = counts.right * 16 < counts.tried - counts.refused;
            if (counts.right == calls.size() || counts.tried == 0 || is_little) break;
        }
        run_meetings(draws, of_numbers ? most_meetings_of_numbers : most_meetings,
                     left_s() - kept_s, trust, out);
        if (!of_numbers) refute(trust, out);
    }
    /// Runs at most `most` calls with random mixes of proven properties.
    void run_meetings(call_draws& draws, std::size_t most, double limit_s, shape_trust const& trust,
                      variant_proof& out)
    {
        if (!out.refuting.empty()) return;
        // Beside the program, another thread may end a proof before long calls end.
        run_calls_that_meet(limits_.take ? draws.short_of_proven(trust, most)
                                         : draws.of_proven(trust, most),
                            limit_s, out);
    }
    /// Runs these calls, and each again with one of kernel.contents(...). Notes the wrong ones;
    /// right ones prove nothing here.
    void run_calls_that_meet(std::vector<drawn_call> calls, double limit_s, variant_proof& out)
    {
        if (limit_s <= 0) return;
        auto const& declared = of_.kernel.contents;
        for (std::size_t i = 0, own = calls.size(); declared && !declared->empty() && i < own;
             ++i) {
            calls.push_back(calls[i]);
            calls.back().contents = (*declared)[i % declared->size()];
        }
        sort_stably(calls, [](auto const& a, auto const& b) { return a.work < b.work; });
        note_wrong(calls, run(calls, of_.tried, limit_s), out);
    }
    struct group_counts {
        std::size_t tried = 0;
        std::size_t right = 0;
        std::size_t refused = 0; ///< by kernel.precondition(f)
    };
    /// Runs the calls in groups of half a second, and gives the right ones of each to limits_.take.
    group_counts run_in_groups(call_draws& draws, std::span<drawn_call const> calls, double kept_s,
                               shape_trust& trust, variant_proof& out, bool of_numbers)
    {
        constexpr double group_s = 0.5;
        constexpr std::size_t most_before_given = 32;
        group_counts counts;
        while (counts.tried < calls.size() && left_s() > kept_s && out.refuting.empty()) {
            std::vector<drawn_call> const rest(
                calls.begin() + static_cast<std::ptrdiff_t>(counts.tried), calls.end());
            shape_proof now =
                run(rest, of_.tried,
                    limits_.take ? std::min(group_s, left_s() - kept_s) : left_s() - kept_s);
            run_unknown_again(rest, now);
            std::size_t const before = out.right.size();
            counts.right += take_all(trust, rest, now, out);
            note_wrong(rest, now, out);
            if (!of_numbers) refute(trust, out);
            counts.refused += static_cast<std::size_t>(
                std::count(now.results.begin(), now.results.end(), call_result::not_taken));
            counts.tried += now.tried;
            if (limits_.take && !of_numbers) {
                run_meetings(draws, most_before_given, std::min(group_s, left_s() - kept_s), trust,
                             out);
                refute(trust, out);
                if (!out.refuting.empty()) break;
                limits_.take(
                    {out.right.begin() + static_cast<std::ptrdiff_t>(before), out.right.end()});
                out.right.resize(before);
            }
            if (now.tried == 0) break;
        }
        return counts;
    }
    /// Runs special contents and the user's own code, once for each kind of calls.
    void compare(call_draws& draws, shape_trust const& trust, variant_proof& out)
    {
        constexpr std::size_t most_calls = 64; // with the user's own code
        if (limits_.has_compared) return;
        bool const has_contents = try_contents(draws, trust, out);
        sized_arrays memory;
        bool const has_own =
            try_baseline(draws.short_of_proven(trust, most_calls), left_s() / 8, out,
                         [&](drawn_call const& one) { return memory.make(frame_, one); });
        out.has_compared = has_contents && has_own;
    }
    /// Runs a few short calls with special contents of their arrays. @return  false: not all ran
    bool try_contents(call_draws& draws, shape_trust const& trust, variant_proof& out)
    {
        constexpr std::size_t most_calls = 2; // with each of the contents
        auto const& declared = of_.kernel.contents;
        std::vector<array_contents> all;
        for (std::size_t i = 1; !declared && i < array_contents_count; ++i)
            all.push_back(static_cast<array_contents>(i));
        if (declared) all = *declared;
        std::vector<drawn_call> calls;
        for (drawn_call const& one : draws.short_of_proven(trust, most_calls))
            for (array_contents const with : all) {
                calls.push_back(one);
                calls.back().contents = with;
            }
        shape_proof now = run(calls, of_.tried, left_s() / 4);
        run_unknown_again(calls, now);
        std::string which;
        drawn_call const* first = nullptr;
        for (std::size_t i = 0; i < now.tried; ++i) {
            if (now.results[i] != call_result::wrong) continue;
            if (first == nullptr) first = &calls[i];
            if (declared) out.refuting.push_back(calls[i].key);
            std::string const name = name_of(calls[i]);
            if (which.find(name) == std::string::npos) which += (which.empty() ? "" : ", ") + name;
        }
        bool const has_all = all.empty() || (!calls.empty() && now.tried == calls.size());
        if (first == nullptr) return has_all;
        if (declared && limits_.refute) limits_.refute(out.refuting.front());
        sized_arrays memory(declared.has_value());
        counterexample found = described(memory.make(frame_, *first), first->key);
        if (found.where.empty()) // the second run was right, or did not end in time
            found = {text_of_shape(of_.layout, first->key),
                     {failure_stage::verify, "wrong in the first of two runs"}};
        found.where = "all elements are " + which + ", first where " + found.where;
        if (!declared) { // such contents may be invalid for the kernel
            out.contents = std::move(found);
            return has_all;
        }
        out.differs = std::move(found);
        first_wrong_.reset();
        return has_all;
    }
    [[nodiscard]] static std::string name_of(drawn_call const& call)
    {
        return std::string(array_contents_names[static_cast<std::size_t>(call.contents)]);
    }
    /// Compares the default with the user's own code on calls. @return  false: not all ran
    template <class Call, class FrameOf>
    bool try_baseline(std::vector<Call> const& calls, double limit_s, variant_proof& out,
                      FrameOf const& frame_of)
    {
        auto const by_own = judged_by_own(of_.kernel);
        if (!by_own) return true;
        shape_proof const now = prove_shapes(
            *by_own, calls.size(), [&](std::size_t i) { return frame_of(calls[i]); }, of_.trusted,
            of_.trusted, limit_s, of_.protect, call_limit_s(), limits_.is_over);
        auto const first = std::find(now.results.begin(), now.results.end(), call_result::wrong);
        if (first != now.results.end()) {
            Call const& one = calls[static_cast<std::size_t>(first - now.results.begin())];
            counterexample found = described(frame_of(one), one.key, of_.trusted, &*by_own);
            if (is_difference(found.why)) out.baseline = std::move(found);
        }
        return !calls.empty() && now.tried == calls.size();
    }
    /// Runs up to 32 calls without a result once more: a pause of the machine makes code slow.
    void run_unknown_again(std::vector<drawn_call> const& calls, shape_proof& of)
    {
        constexpr std::size_t most = 32;
        std::vector<std::size_t> which;
        std::vector<drawn_call> these;
        for (std::size_t i = 0; i < of.tried && which.size() < most; ++i)
            if (of.results[i] == call_result::unknown) {
                which.push_back(i);
                these.push_back(calls[i]);
            }
        if (which.empty() || left_s() <= 0) return;
        shape_proof const now = run(these, of_.tried, left_s() / 2);
        for (std::size_t i = 0; i < now.tried; ++i)
            of.results[which[i]] = now.results[i];
    }

    [[nodiscard]] keyed_call make(std::uint64_t seed, drawn_sizes which) const
    {
        call_draw draw(seed, of_.divisors, which);
        return of_.kernel.calls(draw, of_.keys, of_.kernel.tolerances);
    }
    /// Makes the call again, with its arrays at the addresses of its shape.
    /// Errors   attune::error: equal draws made another call
    [[nodiscard]] call_frame again(made_call const& one, sized_arrays& memory)
    {
        held_ = one.frame ? *one.frame : frame_again(one); // owns the arrays of the made call
        drawn_call where;
        where.keeps_numbers = true;
        where.sizes.assign(held_.arguments.size(), drawn_call::unchanged);
        std::size_t array = 0;
        std::size_t const arrays = held_.buffers.size();
        for (std::size_t i = 0; i < of_.layout.size(); ++i)
            for (std::size_t k = 0; of_.layout[i].part == shape_part::places &&
                                    k < of_.layout[i].argument && array < arrays;
                 ++k, ++array)
                where.places.push_back((one.key[i] >> (place_bits::per_array * k)) & 63);
        return memory.make(held_, where);
    }
    [[nodiscard]] call_frame frame_again(made_call const& one) const
    {
        keyed_call call = make(one.seed, one.which);
        for (std::size_t i = 0; i < of_.layout.size(); ++i)
            if (of_.layout[i].part != shape_part::places && call.shape[i] != one.key[i])
                throw error("kernel.calls(f): equal draws made two calls",
                            "kernel " + of_.kernel.name, "let f use nothing but its argument");
        return std::move(call.frame);
    }
    [[nodiscard]] shape_proof run(std::vector<made_call> const& calls, double limit_s)
    {
        sized_arrays memory;
        return prove_shapes(
            of_.kernel, calls.size(), [&](std::size_t i) { return again(calls[i], memory); },
            of_.trusted, of_.tried, limit_s, of_.protect, call_limit_s(), limits_.is_over);
    }
    /// Returns calls that are new to `trust`, short ones first.
    /// @param until_s  left_s() at the end of the time for these sizes; half of it is for making
    [[nodiscard]] std::vector<made_call> made_by_user(shape_trust trust, drawn_sizes which,
                                                      double until_s, made_calls& made)
    {
        constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;
        std::size_t const most_calls = which.are_large ? 8 : 200; // in one round
        int const most_draws = which.are_large ? 16 : 1'000;
        constexpr int draws_in_a_row = 200;
        double const half_s = (left_s() + until_s) / 2;
        double const longest_s = limits_.take ? limits_.call_s : limits_.proof_s / 16; // to make
        std::size_t const most_bytes =
            which.are_large ? largest_calls().most_bytes : limits_.calls.most_bytes;
        std::vector<made_call> out;
        std::size_t kept_bytes = 0;
        int news = 0;
        made.slowest_s = 0;
        made.most_bytes = 0;
        for (int i = 1; i <= most_draws && out.size() < most_calls && left_s() > half_s; ++i) {
            double const before_s = clocks_.wall_s();
            call_draw draw(made.seed, of_.divisors, which);
            keyed_call call;
            try {
                call = of_.kernel.calls(draw, of_.keys, of_.kernel.tolerances);
            } catch (std::exception const& e) {
                made.trouble = e.what();
                break;
            }
            made.are_limited = (i > 1 && made.are_limited) || draw.is_limited();
            double const took_s = clocks_.wall_s() - before_s;
            made.slowest_s = std::max(made.slowest_s, took_s);
            if (took_s > longest_s) break;
            std::size_t bytes = 0;
            for (buffer const& b : call.frame.buffers)
                bytes += b.bytes;
            made.most_bytes = std::max(made.most_bytes, static_cast<double>(bytes));
            // Use the addresses of the tuned call, as call_draws does: short calls prove no others.
            for (std::size_t word = 0; word < of_.layout.size(); ++word)
                if (of_.layout[word].part == shape_part::places) call.shape[word] = key_[word];
            if (!call.frame.writes_nothing() && bytes <= most_bytes && !trust.covers(call.shape) &&
                trust.news_of(call.shape) > 0) {
                trust.add(call.shape);
                out.push_back({made.seed, which, std::move(call.shape), bytes});
                if (kept_bytes + bytes <= most_kept_bytes) {
                    kept_bytes += bytes;
                    out.back().frame = std::move(call.frame);
                }
                ++news;
            }
            ++made.seed;
            if (i % draws_in_a_row != 0) continue;
            if (news == 0) break;
            news = 0;
        }
        sort_stably(out, [](made_call const& a, made_call const& b) { return a.bytes < b.bytes; });
        return out;
    }
    /// Returns true if each size is large enough for the call to run all loops of a variant.
    [[nodiscard]] bool is_long(std::span<std::int64_t const> key) const
    {
        std::int64_t least = 64;
        for (std::int64_t const d : of_.divisors)
            least = std::max(least, 64 + 2 * d);
        for (std::size_t word = 0; word < of_.layout.size(); ++word)
            if (is_size(of_.layout[word].part) && key[word] < least) return false;
        return true;
    }
    /// Returns calls with their arrays at other addresses, if these are new to `trust`.
    [[nodiscard]] std::vector<made_call> made_elsewhere(std::span<made_call const> calls,
                                                        shape_trust trust) const
    {
        constexpr int most_draws = 100;
        std::vector<made_call> out;
        if (calls.empty() || of_.keys.any_alignment || of_.keys.any_shape) return out;
        std::vector<std::int64_t> steps;
        for (std::size_t i = 0; i < frame_.arguments.size(); ++i) {
            call_argument const& one = frame_.arguments[i];
            if (one.buffer == call_argument::by_value) continue;
            if (one.is_pointer || one.target || !of_.keys.counts(i)) return out;
            steps.push_back(alignment_of_elements(one.element_bytes));
        }
        random_engine random(hash_of_shape(key_));
        for (int i = 0; i < most_draws; ++i) {
            made_call made = calls[uniform_below(random, calls.size())];
            std::size_t array = 0;
            for (std::size_t word = 0; word < of_.layout.size(); ++word) {
                if (of_.layout[word].part != shape_part::places) continue;
                std::size_t const of_word = of_.layout[word].argument;
                for (std::size_t k = 0; k < of_word && array < steps.size(); ++k, ++array) {
                    auto const places = static_cast<std::uint64_t>(64 / steps[array]);
                    std::int64_t const place =
                        steps[array] * static_cast<std::int64_t>(uniform_below(random, places));
                    std::size_t const at = place_bits::per_array * k;
                    std::int64_t& bits = made.key[word];
                    bits = (bits & ~(std::int64_t{63} << at)) | (place << at);
                }
            }
            if (trust.covers(made.key)) continue;
            trust.add(made.key);
            out.push_back(std::move(made));
        }
        return out;
    }
    /// Takes the results of calls. @return  number of right calls
    template <class Call>
    std::size_t take_all(shape_trust& trust, std::vector<Call> const& calls, shape_proof const& of,
                         variant_proof& out)
    {
        std::size_t right = 0;
        for (std::size_t i = 0; i < of.tried; ++i) {
            std::vector<std::int64_t> const& key = calls[i].key;
            if (of.results[i] == call_result::not_taken) continue;
            bool const is_proven = is_right(of, i);
            if (is_proven)
                trust.add(key);
            else
                trust.except(key);
            (is_proven ? out.right : out.open).push_back(key);
            right += is_proven ? 1u : 0u;
        }
        return right;
    }
    [[nodiscard]] static bool is_right(shape_proof const& of, std::size_t call)
    {
        return of.results[call] == call_result::right;
    }
    /// Keeps the calls for which the variant is wrong. Of drawn calls, the first has the least
    /// work.
    template <class Call>
    void note_wrong(std::vector<Call> const& calls, shape_proof const& of, variant_proof& out)
    {
        for (std::size_t i = 0; i < of.tried; ++i) {
            if (of.results[i] != call_result::wrong) continue;
            wrong_.push_back(calls[i].key);
            out.wrong.push_back(calls[i].key);
            if constexpr (std::is_same_v<Call, drawn_call>)
                if (!first_wrong_) first_wrong_ = calls[i];
        }
    }
    [[nodiscard]] counterexample shrunk(call_draws const& draws, drawn_call call)
    {
        constexpr int most_rounds = 12;
        for (int round = 0; round < most_rounds && left_s() > 0; ++round) {
            std::vector<drawn_call> smaller = draws.smaller(call);
            shape_proof const now = run(smaller, of_.tried, std::min(limits_.call_s, left_s()));
            auto const first =
                std::find(now.results.begin(), now.results.end(), call_result::wrong);
            if (first == now.results.end()) break;
            call = std::move(smaller[static_cast<std::size_t>(first - now.results.begin())]);
        }
        sized_arrays memory(of_.kernel.contents.has_value());
        counterexample out = described(memory.make(frame_, call), call.key);
        if (call.contents != array_contents::own && !out.where.empty())
            out.where = "all elements are " + name_of(call) + ", first where " + out.where;
        return out;
    }
    [[nodiscard]] counterexample described(call_frame const& frame,
                                           std::span<std::int64_t const> key) const
    {
        return described(frame, key, of_.tried, &of_.kernel);
    }
    [[nodiscard]] counterexample described(call_frame const& frame,
                                           std::span<std::int64_t const> key, callable const& tried,
                                           kernel_description const* kernel) const
    {
        constexpr double longest_s = 1; // a thread may wait for the end of the proof
        shape_verdict verdict = verify_shape(
            *kernel, frame, of_.trusted, tried,
            {.check_s = std::min(limits_.call_s, longest_s), .is_one_of_many = true}, of_.protect);
        if (result_of(verdict) != call_result::wrong) return {};
        std::string where = text_of_shape(of_.layout, key);
        for (shape_word const& word : of_.layout) {
            if (word.part != shape_part::real) continue;
            std::vector<std::byte> const& bytes = frame.arguments[word.argument].value;
            if (bytes.size() > sizeof(double)) continue;
            where += ", argument " + std::to_string(word.argument) + " is ";
            where += formatted("%.6g", bytes.size() == sizeof(float)
                                           ? static_cast<double>(number_of_bytes<float>(bytes))
                                           : number_of_bytes<double>(bytes));
        }
        return {std::move(where), std::move(verdict.why)};
    }
    [[nodiscard]] bool has_wrong(shape_trust const& trust) const
    {
        return std::any_of(wrong_.begin(), wrong_.end(),
                           [&](auto const& key) { return trust.has_proven(key); });
    }
    /// Refutes the variant if it is wrong for a shape that `trust` covers.
    void refute(shape_trust const& trust, variant_proof& out) const
    {
        if (!out.refuting.empty()) return;
        for (std::vector<std::int64_t> const& key : wrong_)
            if (trust.has_proven(key)) out.refuting.push_back(key);
        if (!out.refuting.empty() && limits_.refute) limits_.refute(out.refuting.front());
    }
    [[nodiscard]] bool is_length(size_relations::dependent const& one) const
    {
        return of_.layout[one.word].part == shape_part::elements;
    }
    [[nodiscard]] double left_s() const
    {
        if (stop_is_requested() || (limits_.is_over && limits_.is_over())) return 0;
        return limits_.proof_s - (clocks_.wall_s() - begun_s_);
    }
    /// Returns the limit of one call in seconds, which is lower at the end of the proof.
    [[nodiscard]] double call_limit_s() const
    {
        constexpr double shortest_s = 0.25; // on a slow machine, calls would fail at a lower limit
        return std::min(limits_.call_s, std::max(left_s(), shortest_s));
    }
    [[nodiscard]] drawn_from drawn() const
    {
        return {of_.layout,         key_, frame_, of_.choice, relations_, of_.divisors,
                &of_.kernel.lengths};
    }
    [[nodiscard]] shape_proof run(std::vector<drawn_call> const& calls, callable const& tried,
                                  double limit_s)
    {
        sized_arrays memory(of_.kernel.contents.has_value());
        shape_proof out = prove_shapes(
            of_.kernel, calls.size(), [&](std::size_t i) { return memory.make(frame_, calls[i]); },
            of_.trusted, tried, limit_s, of_.protect, call_limit_s(), limits_.is_over);
        out.results.resize(calls.size(), call_result::unknown); // calls beyond the limit of 1,024
        return out;
    }
    /// Tries all formulas of each length that is not settled. If none holds, the length has none
    /// afterwards.
    /// @param open  all words with their formulas
    void try_formulas(std::vector<size_relations::dependent> const& open)
    {
        struct tried_formula {
            std::size_t word;
            std::size_t formula;
            std::size_t first; ///< index of the first of its calls
        };
        std::vector<tried_formula> all;
        std::vector<drawn_call> calls;
        call_draws const draws(drawn(), hash_of_shape(key_));
        for (std::size_t i = 0; i < open.size(); ++i) {
            bool const is_settled = is_settled_[i] || !is_length(open[i]);
            for (std::size_t f = 0; !is_settled && f < open[i].may_be.size(); ++f) {
                all.push_back({i, f, calls.size()});
                std::vector<drawn_call> its = draws.trials_of(open[i].word, open[i].may_be[f]);
                calls.insert(calls.end(), its.begin(), its.end());
            }
        }
        std::vector<call_result> const results =
            run(calls, of_.trusted, std::min(limits_.proof_s / 4, left_s())).results;
        for (std::size_t i = 0; i < open.size(); ++i)
            if (is_length(open[i]) && !is_settled_[i]) relations_.words[i].may_be.clear();
        for (std::size_t t = 0; t < all.size(); ++t) {
            std::size_t const end = t + 1 < all.size() ? all[t + 1].first : calls.size();
            auto const at = [&](std::size_t i) {
                return results.begin() + static_cast<std::ptrdiff_t>(i);
            };
            // A precondition may refuse all calls: that leaves one formula, but chooses none of
            // many.
            bool const holds =
                std::all_of(at(all[t].first), at(end),
                            [](call_result one) {
                                return one == call_result::right || one == call_result::not_taken;
                            }) &&
                (open[all[t].word].may_be.size() == 1 ||
                 std::any_of(at(all[t].first), at(end),
                             [](call_result one) { return one == call_result::right; }));
            if (!holds || is_settled_[all[t].word]) continue;
            is_settled_[all[t].word] = true;
            relations_.words[all[t].word].may_be = {open[all[t].word].may_be[all[t].formula]};
        }
    }

    proof_subject const& of_;
    std::span<std::int64_t const> key_;
    call_frame const& frame_;
    proof_limits const& limits_;
    system_clocks clocks_{};
    double begun_s_;
    std::vector<std::vector<std::int64_t>> wrong_; ///< shapes, including those of earlier proofs
    call_frame held_{};                            ///< frame of the user's call that runs
    size_relations relations_;
    std::vector<bool> is_settled_;            ///< for each word of the relations
    std::optional<drawn_call> first_wrong_{}; ///< the first wrong call that was drawn
};

ATTUNE_INLINE variant_proof prove_variant(proof_subject const& of,
                                          std::span<std::int64_t const> key,
                                          call_frame const& frame, shape_trust trust,
                                          proof_limits const& limits)
{
    variant_proof out;
    if (trust.is_distrusted()) return out;
    system_clocks const clocks;
    double const begun_s = clocks.wall_s();
    // Once true, is_over stays true, even if the waiting thread leaves while the proof ends.
    proof_limits its = limits;
    its.is_over = [&] {
        return out.was_over = out.was_over || (limits.is_over && limits.is_over());
    };
    try {
        proving now(of, key, frame, its);
        if (of.kernel.calls) {
            now.prove_by_user(std::move(trust), out);
        } else if (frame.resized && now.has_sizes()) {
            now.settle_relations();
            now.prove(std::move(trust), out);
        }
    } catch (std::exception const& e) { // no memory, or the user's function threw
        if (of.kernel.calls) out.trouble = e.what();
    } catch (...) {
        out.trouble = "an exception that is no std::exception";
    }
    out.elapsed_s = clocks.wall_s() - begun_s;
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
