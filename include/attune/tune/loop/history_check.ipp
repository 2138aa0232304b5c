// attune/tune/loop/history_check.ipp - runs sequences of calls, and single ones, in children.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/tune/kernel/launch_arguments.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/history_check.hpp>
#include <attune/tune/shape/shape_check.hpp>
#include <attune/tune/shape/variant_proof.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

enum class sequence_contents : std::uint8_t { callers, others, others_behind_first };

/// One call of a sequence. The arrays of calls with equal `place` have equal addresses.
struct call_in_sequence {
    std::size_t place = 0;
    sequence_contents contents = sequence_contents::callers;
    bool has_other_arguments = false;
    char const* after = ""; ///< the earlier call, as text for the user
};
inline constexpr std::array<call_in_sequence, 6> sequence_of_calls{{
    {0, sequence_contents::callers, false, "another call"},
    {0, sequence_contents::others, false, "a call with other contents at the same addresses"},
    {1, sequence_contents::callers, false, "a call of the same size at other addresses"},
    {0, sequence_contents::others_behind_first, false,
     "a call with the same first elements at other addresses"},
    {0, sequence_contents::callers, false, "a call with other contents at the same addresses"},
    {1, sequence_contents::others, false, "a call of the same size at other addresses"},
}};
inline constexpr std::array<call_in_sequence, 3> sequence_of_arguments{{
    {0, sequence_contents::callers, true, "another call"},
    {0, sequence_contents::callers, false, "a call with other arguments"},
    {0, sequence_contents::callers, true, "a call with other arguments"},
}};

/// Returns the call with half of its sizes, or with other scalars. Empty if the call has none, or
/// if kernel.precondition(f) refuses the changed call.
[[nodiscard]] inline std::optional<call_frame>
with_changed(kernel_description const& kernel, call_frame const& frame, std::int64_t by)
{
    if (!frame.resized) return {};
    std::vector<std::int64_t> sizes(frame.arguments.size(), -1);
    auto const made = [&](bool of_arrays) -> std::optional<call_frame> {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            bool const is_array = frame.arguments[i].buffer != call_argument::by_value;
            bool const is_input = std::any_of(kernel.inputs.begin(), kernel.inputs.end(),
                                              [&](auto const& one) { return one.position == i; });
            if (is_array == of_arrays && !is_input) sizes[i] = by;
        }
        call_frame out = frame.resized(sizes);
        bool is_changed = of_arrays;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            is_changed = is_changed || out.arguments[i].value != frame.arguments[i].value;
        if (!is_changed || !takes_call(kernel, out)) return {};
        return out;
    };
    std::optional<call_frame> out = made(false);
    if (!out && by == halved_size) out = made(true); // the lengths are sizes, too
    return out;
}

/// Which arrays that the kernel only reads get other contents.
enum class changed_inputs : std::uint8_t { all, floats };

/// Shared with the child. If a variant overwrites it, the second child finds no difference.
struct sequence_progress {
    std::atomic<std::size_t> call{0};
    std::atomic<bool> is_trusted{true}; ///< the trusted code runs
};

/// Copies of one call's arrays, with the caller's contents or with other ones.
class changeable_copies {
public:
    changeable_copies(std::span<buffer const> originals, changed_inputs which)
        : originals_(originals)
        , copies_(writable(originals))
        , as_called_(copies_.buffers())
    {
        for (buffer const& b : copies_.buffers()) {
            bool const is_input = !originals[changing_.size()].writable;
            bool const is_fixed = b.first_target != buffer::none ||
                                  (is_input && which == changed_inputs::floats && !is_float(b));
            changing_.push_back(b);
            changing_.back().writable = !is_fixed;
        }
    }
    void fill(sequence_contents with)
    {
        as_called_.restore();
        if (with != sequence_contents::callers) perturb(changing_);
        if (with == sequence_contents::others_behind_first)
            for (std::size_t i = 0; i < changing_.size(); ++i)
                if (changing_[i].writable && originals_[i].bytes > 0)
                    std::memcpy(changing_[i].data, originals_[i].data,
                                std::min(originals_[i].bytes, most_element_bytes));
        copies_.mend();
    }
    [[nodiscard]] guarded_copies const& arrays() const noexcept { return copies_; }

private:
    static constexpr std::size_t most_element_bytes = 16;

    [[nodiscard]] static std::vector<buffer> writable(std::span<buffer const> originals)
    {
        std::vector<buffer> out(originals.begin(), originals.end());
        for (buffer& b : out)
            b.writable = b.writable || b.first_target == buffer::none;
        return out;
    }
    [[nodiscard]] static bool is_float(buffer const& b)
    {
        return b.run_count == 0 && element_types[b.type].is_real;
    }

    std::span<buffer const> originals_;
    guarded_copies copies_;
    snapshot as_called_;
    std::vector<buffer> changing_{};
};

/// The calls of one child.
class call_sequence {
public:
    /// @param other  the call with other arguments; null: no sequence has it
    call_sequence(kernel_description const& kernel, call_frame const& frame,
                  callable const& trusted, callable const& tried, call_frame const* other = nullptr)
        : kernel_(kernel)
        , frame_(frame)
        , other_(other)
        , trusted_(trusted)
        , tried_(tried)
    {
    }
    /// @return  the difference of the first wrong result; empty if all results are right
    [[nodiscard]] std::string run(std::span<call_in_sequence const> calls, changed_inputs which,
                                  sequence_progress& progress) const
    {
        changeable_copies places[] = {{frame_.buffers, which}, {frame_.buffers, which}};
        progress.is_trusted.store(true);
        std::array<std::optional<snapshot>, 4> right; // see index_of()
        for (call_in_sequence const& one : calls) {
            std::optional<snapshot>& result = right[index_of(one)];
            if (result || kernel_.check) continue;
            places[0].fill(one.contents);
            run_trusted(frame_of(one), places[0].arrays());
            result.emplace(places[0].arrays().buffers());
        }
        progress.is_trusted.store(false);
        for (std::size_t i = 0; i < calls.size(); ++i) {
            progress.call.store(i);
            guarded_copies const& arrays = places[calls[i].place].arrays();
            places[calls[i].place].fill(calls[i].contents);
            call_frame const& frame = frame_of(calls[i]);
            frame.call(tried_.address, arrays.addresses());
            std::string said = arrays.damage();
            if (said.empty())
                said = kernel_.check ? refusal(frame, arrays)
                                     : objection_to(arrays.buffers(), *right[index_of(calls[i])]);
            if (!said.empty()) return said;
        }
        return {};
    }

private:
    [[nodiscard]] static std::size_t index_of(call_in_sequence const& one)
    {
        return one.has_other_arguments ? 3 : static_cast<std::size_t>(one.contents);
    }
    [[nodiscard]] call_frame const& frame_of(call_in_sequence const& one) const
    {
        return one.has_other_arguments ? *other_ : frame_;
    }
    void run_trusted(call_frame const& frame, guarded_copies const& arrays) const
    {
        if (has_reference(kernel_, frame))
            frame.with_arguments(arrays.addresses(), kernel_.reference);
        else
            frame.call(trusted_.address, arrays.addresses());
    }
    [[nodiscard]] std::string refusal(call_frame const& frame, guarded_copies const& arrays) const
    {
        std::string said;
        frame.with_arguments(arrays.addresses(), [&](void const* a) { said = kernel_.check(a); });
        return said;
    }

    kernel_description const& kernel_;
    call_frame const& frame_;
    call_frame const* other_;
    callable const& trusted_;
    callable const& tried_;
};

/// Calls whose arrays have more bytes are not checked.
inline constexpr std::size_t most_checked_bytes = std::size_t{256} << 20;

[[nodiscard]] inline bool can_check_calls(call_frame const& frame, isolation protect)
{
    return frame.call && frame.is_complete() && can_guard(frame.buffers, most_checked_bytes) &&
           choose_isolation(protect, observe_process()).how == isolation::fork;
}

ATTUNE_INLINE std::optional<failure> page_starts::failure_of(callable const& trusted,
                                                             callable const& tried, double limit_s)
try {
    constexpr std::size_t most_bytes = std::size_t{64} << 20; // of the copies
    if (!can_check_calls(frame_, protect_) || !can_guard(frame_.buffers, most_bytes)) return {};
    if (!copies_) copies_.emplace(frame_.buffers, guarded_end::first);
    child_limits limits;
    limits.run_s = limit_s;
    auto const end_of = [&](callable const& code) {
        return run_in_child([&] { frame_.call(code.address, copies_->addresses()); },
                            [&] { return copies_->damage(); }, limits);
    };
    child_end const end = end_of(tried);
    if (end.ending != child_ending::signalled) return {};
    if (end_of(trusted).ending != child_ending::returned) return {};
    failure why = verdict_of(end, limits);
    if (std::string const where = end.address ? copies_->explain(*end.address) : std::string{};
        !where.empty())
        why.reason += ", " + where;
    why.reason = "on arrays that begin a page: " + why.reason;
    return why;
} catch (std::exception const&) {
    return {}; // no memory or no child
}

ATTUNE_INLINE std::optional<failure> failure_with_contents(kernel_description const& kernel,
                                                           call_frame const& frame,
                                                           callable const& trusted,
                                                           callable const& tried, double limit_s,
                                                           isolation protect)
try {
    if (!kernel.contents || kernel.calls || !are_apart(frame.buffers)) return {};
    sized_arrays memory(true);
    drawn_call call{.sizes = std::vector<std::int64_t>(frame.arguments.size(), -1)};
    for (array_contents const with : *kernel.contents) {
        call.contents = with;
        shape_verdict verdict =
            verify_shape(kernel, memory.make(frame, call), trusted, tried,
                         {.check_s = limit_s, .compares_times = false}, protect);
        if (verdict.how != shape_verdict::ending::wrong) continue;
        verdict.why.reason = "where all elements are " +
                             std::string(array_contents_names[static_cast<std::size_t>(with)]) +
                             ": " + verdict.why.reason;
        return std::move(verdict.why);
    }
    return {};
} catch (std::exception const&) {
    return {}; // no memory
}

ATTUNE_INLINE std::optional<failure> failure_with_other_numbers(kernel_description const& kernel,
                                                                call_frame const& frame,
                                                                callable const& trusted,
                                                                callable const& tried,
                                                                double limit_s, isolation protect)
try {
    bool const has_old_forms = frame.has_forms && !frame.resized;
    auto const bytes =
        std::transform_reduce(frame.buffers.begin(), frame.buffers.end(), std::size_t{0},
                              std::plus<>(), [](buffer const& b) { return b.bytes; });
    if (bytes > shape_check_limits{}.most_bytes) return {}; // verify_shape() refuses such a call
    if (kernel.calls || has_old_forms || !are_apart(frame.buffers) ||
        std::none_of(frame.buffers.begin(), frame.buffers.end(), is_one_number))
        return {};
    sized_arrays memory;
    call_frame const varied = memory.make(
        frame, {.sizes = std::vector<std::int64_t>(frame.arguments.size(), drawn_call::unchanged)});
    if (!takes_call(kernel, varied)) return {};
    std::optional<kernel_description> by_default; // the user's reference may take long
    if (kernel.reference) by_default.emplace(kernel).reference = {};
    shape_verdict verdict = verify_shape(by_default ? *by_default : kernel, varied, trusted, tried,
                                         {.check_s = limit_s, .compares_times = false}, protect);
    if (verdict.how != shape_verdict::ending::wrong) return {};
    verdict.why.reason = "where the numbers of an array differ: " + verdict.why.reason;
    return std::move(verdict.why);
} catch (std::exception const&) {
    return {}; // no memory, or the precondition threw
}

ATTUNE_INLINE std::vector<std::string> contents_not_tried(kernel_description const& kernel,
                                                          call_frame const& frame,
                                                          callable const& trusted, double limit_s,
                                                          isolation protect)
{
    if (!kernel.contents || kernel.contents->empty()) return {};
    std::vector<std::string> out;
    auto const say = [&](array_contents with, std::string const& of, std::string const& why) {
        out.push_back("no variant is tried where all elements are " +
                      std::string(array_contents_names[static_cast<std::size_t>(with)]) + of +
                      ": " + why);
    };
    std::string all;
    if (kernel.calls) all = "kernel.calls(f) makes the contents";
    if (!are_apart(frame.buffers)) all = "the arrays overlap";
    sized_arrays memory(true);
    drawn_call call{.sizes = std::vector<std::int64_t>(frame.arguments.size(), -1)};
    for (array_contents const with : *kernel.contents) {
        if (!all.empty()) {
            say(with, "", all);
            continue;
        }
        for (buffer const& one : frame.buffers)
            if (!knows_elements(one))
                say(with, ", in " + owner_text(one.argument, one.target),
                    "it has gaps, or elements that attune does not fill");
        call.contents = with;
        shape_verdict const verdict =
            verify_shape(kernel, memory.make(frame, call), trusted, trusted,
                         {.check_s = limit_s, .compares_times = false}, protect);
        if (verdict.how != shape_verdict::ending::right)
            say(with, "", "the default fails there (" + verdict.why.reason + ")");
    }
    return out;
}

ATTUNE_INLINE std::optional<failure> failure_after_other_calls(kernel_description const& kernel,
                                                               call_frame const& frame,
                                                               callable const& trusted,
                                                               callable const& tried,
                                                               double limit_s, isolation protect)
try {
    if (!can_check_calls(frame, protect)) return {};
    shared_with_child<sequence_progress> const shared;
    sequence_progress& progress = shared.get();
    child_limits limits;
    limits.run_s = limit_s;
    auto const failure_in = [&](std::span<call_in_sequence const> calls, changed_inputs which,
                                call_frame const* other,
                                bool& may_differ) -> std::optional<failure> {
        call_sequence const sequence(kernel, frame, trusted, tried, other);
        auto const child = [&](std::span<call_in_sequence const> these) {
            std::string said;
            return run_in_child([&] { said = sequence.run(these, which, progress); },
                                [&] { return said; }, limits);
        };
        child_end const end = child(calls);
        may_differ = end.ending != child_ending::returned && end.ending != child_ending::overran &&
                     end.ending != child_ending::lost;
        if (!may_differ || progress.is_trusted.load()) return {};
        std::size_t const at = std::min(progress.call.load(), calls.size() - 1);
        may_differ = at > 0; // without an earlier call, the variant is wrong by itself
        if (!may_differ || child(calls.subspan(at, 1)).ending != child_ending::returned) return {};
        failure why = end.ending == child_ending::objected
                          ? failure{failure_stage::verify, first_line(end.text), end.text}
                          : verdict_of(end, limits);
        why.reason = "wrong after " + std::string(calls[at].after) + ": " + why.reason;
        return why;
    };
    bool may_differ = true;
    for (changed_inputs const which : {changed_inputs::all, changed_inputs::floats})
        if (may_differ)
            if (auto why = failure_in(sequence_of_calls, which, nullptr, may_differ)) return why;
    constexpr double most_s = 0.25; // the other calls may never end
    limits.run_s = std::min(limit_s, most_s);
    for (std::int64_t const by : {halved_size, altered_value})
        if (std::optional<call_frame> const other = with_changed(kernel, frame, by))
            if (auto why =
                    failure_in(sequence_of_arguments, changed_inputs::all, &*other, may_differ))
                return why;
    return {};
} catch (std::exception const&) {
    return {}; // no memory or no child
}

} // namespace attune::inline ATTUNE_ABI::detail
