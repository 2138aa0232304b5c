// attune/tune/capture/call_replay.hpp - a captured call in its own memory, its replay (ATTUNE_REPLAY), and the replay's result.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>
#include <attune/tune/dispatch/call_watch.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/kernel/owned_call.hpp>
#include <attune/tune/report.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

struct captured_call;
struct captured_array;

/// Memory for the arrays of a captured call, with the same addresses modulo a page and the same
/// overlaps. Arrays of pointers point to their targets; all other bytes are zero.
class captured_arguments final : public given_arguments {
public:
    /// Errors   attune::error: not enough memory
    explicit captured_arguments(captured_call of);

    [[nodiscard]] captured_call const& call() const noexcept;
    [[nodiscard]] std::byte* address(captured_array const& of) const noexcept;

    [[nodiscard]] array array_at(std::size_t position, std::size_t element_bytes,
                                 std::size_t lengths) const override;
    [[nodiscard]] std::byte const* value_at(std::size_t position, std::size_t bytes) const override;
    [[noreturn]] void refuse(std::size_t position) const override;

private:
    struct memory;
    std::shared_ptr<memory const> memory_;
};

struct replay_of_call {
    captured_arguments memory;
    keyed_call call;
    std::optional<owned_call> there{}; ///< arrays in the memory of a device; `call` refers to them
};

/// Reads the call in a file. Kernel, signature, structures, bound inputs, and each array's elements
/// and size must be those of this program, which declares how the call is checked.
/// @return  null if it is a call of another kernel
/// Errors   attune::error: the file cannot be read or is damaged; something differs in this program
[[nodiscard]] std::unique_ptr<replay_of_call const>
replay_in(std::string const& path, dispatched_kernel const& of, call_maker const& make);

/// Returns true if `attune retune` started this program, by ATTUNE_REPLAY_ANEW, to tune this kernel
/// even if the store has a result for the call. Other kernels keep the program's policy.
[[nodiscard]] bool is_retuned(kernel_description const& kernel) noexcept;

/// Returns the file for the report: the variable ATTUNE_REPLAY_REPORT, which `attune retune` sets.
/// Empty: the variable is not set, and no report is written.
[[nodiscard]] std::string replay_report_path();

/// Writes the report of a replay that took place, and ends this process with exit code 0: the
/// program's own work is not needed. Returns if the report cannot be written.
void report_replay_and_end(std::string const& path, tuning_report const& done) noexcept;
/// Writes why no replay took place; the program continues.
void report_no_replay(std::string const& path, std::string const& why) noexcept;

/// Names and texts of a report: "kernel", "how" (tuned, kept_default, remembered, or no),
/// "summary", "configuration", "reason" ...
[[nodiscard]] std::string replay_report_text(tuning_report const& done);
[[nodiscard]] named_texts replay_report_in(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/capture/call_replay.ipp>
#endif
