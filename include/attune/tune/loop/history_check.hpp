// attune/tune/loop/history_check.hpp - checks if a variant is right in other calls of the same shape.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/guarded.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Runs a variant several times in one forked child. Between runs the contents change at the same
/// addresses, once only behind the first elements, or the addresses change with the same lengths. A
/// variant that keeps a packed array or an address between calls may be right in its first run and
/// wrong in a later one. Two more children run the variant with half of the sizes and with other
/// scalars, in turn with the call's own. A variant may keep a table for the size or the scalar of
/// an earlier call. Integers that are inputs do not change. A kernel gets none of these two
/// children whose calls kernel.precondition(f) refuses.
///
/// The kernel may not be made for the changed calls. A wrong result therefore counts only if the
/// variant computes the right one in another child, without earlier calls.
///
/// @param trusted  the default; if the user gave a reference, that runs instead
/// @param tried    code that has not run in this process
/// @param limit_s  wall seconds in each child
/// @return  the failure of the first wrong run. Empty if no run is wrong, arrays overlap, the
///          trusted code fails on changed contents, the time is over, or no child can be made.
///          Never throws
/// Cost     three children and about 16 copies of the arrays; seven runs of the trusted code and
///          twelve of the variant
[[nodiscard]] std::optional<failure>
failure_after_other_calls(kernel_description const& kernel, call_frame const& frame,
                          callable const& trusted, callable const& tried, double limit_s,
                          isolation protect = isolation::automatic);

/// Copies of a call's arrays. Each copy begins at a page, and the page before it is inaccessible. A
/// variant that reads before its arrays works only if that memory is readable; otherwise it ends
/// the program.
class page_starts {
public:
    /// @pre  the frame outlives this object, and at each check its arrays have equal contents
    explicit page_starts(call_frame const& frame, isolation protect = isolation::automatic)
        : frame_(frame)
        , protect_(protect)
    {
    }

    /// Runs a variant on the copies, in a forked child.
    /// @param trusted  the default, also where there is a reference
    /// @param limit_s  wall seconds of a run
    /// @return  the failure of the variant, if the default has none there. Nothing: there is none,
    ///          or the arrays have more than 64 MiB. Never throws
    /// Cost     a child and one run of the variant; the first check also makes the copies
    [[nodiscard]] std::optional<failure> failure_of(callable const& trusted, callable const& tried,
                                                    double limit_s);

private:
    call_frame const& frame_;
    isolation protect_;
    std::optional<guarded_copies> copies_{}; ///< children write their own pages only
};

/// Wall seconds of each check of a variant in other calls.
inline constexpr double longest_in_other_calls_s = 2;

/// Compares a variant with the default on the call's arrays with each of kernel.contents(...).
///
/// @param limit_s  wall seconds for each of the contents
/// @return  the failure of the variant. Empty without a failure, if kernel.calls(f) makes the
///          contents, and in the cases of contents_not_tried(). Never throws
[[nodiscard]] std::optional<failure> failure_with_contents(kernel_description const& kernel,
                                                           call_frame const& frame,
                                                           callable const& trusted,
                                                           callable const& tried, double limit_s,
                                                           isolation protect);
/// Compares a variant with the default on the call, if all elements of an array are one
/// floating-point number. That array then gets various numbers: see vary(). A wrong index reads the
/// right number otherwise, in each check of the variant.
///
/// @param limit_s  wall seconds
/// @return  the failure of the variant. Empty without a failure, if kernel.calls(f) makes the
///          contents, if kernel.precondition(f) refuses the call, if arrays overlap, or if the
///          default fails. Never throws
[[nodiscard]] std::optional<failure> failure_with_other_numbers(kernel_description const& kernel,
                                                                call_frame const& frame,
                                                                callable const& trusted,
                                                                callable const& tried,
                                                                double limit_s, isolation protect);
/// Returns a sentence for each of kernel.contents(...) that failure_with_contents() does not try,
/// with the arrays and the reason. One reason is a default that fails. Runs the default twice with
/// each of the contents.
[[nodiscard]] std::vector<std::string> contents_not_tried(kernel_description const& kernel,
                                                          call_frame const& frame,
                                                          callable const& trusted, double limit_s,
                                                          isolation protect);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/history_check.ipp>
#endif
