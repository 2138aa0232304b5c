// attune/tune/dispatch/dispatch_report.hpp - what a dispatch_table says: its report and its notices.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/progress.hpp>
#include <attune/tune/report.hpp>

#include <string>
#include <unordered_set>

namespace attune::inline ATTUNE_ABI::detail {

/// The latest report, and the sentences that were told. Any thread; no lock is held while the sink
/// is called, so that a sink may call the kernel. Of a kind of which there may be one for each
/// input or shape the first ones are kept: 1,000 sentences, 100 failures.
class dispatch_report {
public:
    /// @param kernel  its name
    dispatch_report(std::string kernel, progress_sink sink);

    [[nodiscard]] tuning_report latest() const;
    void set(tuning_report now);
    /// What serves the latest new shape, and why.
    void set_serving(served_shapes const& counts, std::string sentence);
    void add_shape_failure(shape_failure failed);

    /// Tells a sentence once in the life of this object. @return  whether it was told
    bool tell(std::string const& text);
    /// Tells it, and keeps it in the report.
    void note(std::string const& text);

private:
    std::string kernel_;
    progress_sink sink_;
    mutable fork_safe_mutex lock_{lock_use::brief}; ///< of what follows
    tuning_report latest_{};
    std::unordered_set<std::string> said_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/dispatch_report.ipp>
#endif
