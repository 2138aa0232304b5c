// attune/tune/over/tuning_elsewhere.hpp - one call of a kernel that another process tunes, with the help of this one.
// SPDX-License-Identifier: MIT
//
// tested by tune/over/mpi/tuned_ranks.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/record.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/kernel/keyed_call.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/over/trial_worker.hpp>
#include <attune/tune/over/variant_text.hpp>

#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Has the turn of its kernel: calls on other threads are served as while it is tuned.
class tuning_elsewhere {
public:
    /// @pre     the parts outlive this object, and the arrays of the call
    /// Errors   as dispatch_table::tune(); attune::error: kernel.precondition(f) takes no such call
    tuning_elsewhere(dispatch_parts& parts, keyed_call call);
    ~tuning_elsewhere();
    tuning_elsewhere(tuning_elsewhere const&) = delete;
    tuning_elsewhere& operator=(tuning_elsewhere const&) = delete;

    /// What the call's times depend on.
    [[nodiscard]] record_key key() const;
    [[nodiscard]] description const& space() const;
    [[nodiscard]] bool has_configuration(point const& at) const;

    /// Compiles and measures the default, once.
    /// Errors   as trial_worker
    trial_worker& worker();

    /// All arrays of the call are empty.
    [[nodiscard]] bool is_empty() const noexcept { return call_.frame.has_only_empty_arrays(); }
    /// Why its times say nothing; empty: they do. Measures the default.
    /// Errors   as trial_worker
    [[nodiscard]] std::string why_no_part();

    /// Serves what was found, where it is right for the data of this process; else, and where its
    /// times say nothing, the default.
    /// Nothing is put into the store.
    /// @return  the report, with what there is to say of this process
    [[nodiscard]] tuning_report install(found_elsewhere found);

private:
    [[nodiscard]] compile_result code_for(point const& at);

    dispatch_parts& parts_;
    working const turn_;
    keyed_call call_;
    std::shared_ptr<served_inputs> of_{};
    std::shared_ptr<device_target const> device_{};
    std::optional<tuning_problem> problem_{};
    std::unique_ptr<trial_worker> worker_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/over/tuning_elsewhere.ipp>
#endif
