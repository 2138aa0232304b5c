// attune/measure/cuda/loaded_variant.ipp - loads and launches a variant.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/launch.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_session.hpp>
#include <attune/measure/cuda/loaded_variant.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline bool fits_unsigned(std::array<std::int64_t, 3> const& extents)
{
    for (std::int64_t const e : extents)
        if (e < 1 || e > std::int64_t{std::numeric_limits<unsigned>::max()}) return false;
    return true;
}

ATTUNE_INLINE packed_arguments::packed_arguments(std::span<device_argument const> arguments,
                                                 std::vector<cuda::device_pointer> addresses)
    : arguments_(arguments.begin(), arguments.end())
    , addresses_(std::move(addresses))
{
    for (device_argument& a : arguments_) {
        if (a.buffer == device_argument::by_value) {
            all_.push_back(a.value.data());
        } else {
            ATTUNE_ASSERT(a.buffer < addresses_.size(), "an argument is one of the call's arrays");
            all_.push_back(&addresses_[a.buffer]);
        }
    }
}

ATTUNE_INLINE loaded_variant::loaded_variant(std::shared_ptr<device_session> where,
                                             device_variant const& what)
    : where_(std::move(where))
{
    launch_geometry const& how = what.launch;
    if (!fits_unsigned(how.grid) || !fits_unsigned(how.block) || !fits_unsigned(how.cluster) ||
        how.shared_bytes < 0 || how.shared_bytes > std::numeric_limits<int>::max())
        throw stopped{{failure_stage::launch, "no launch has this geometry: " + text_of(how)}};
    cuda::result said = cuda::success;
    auto got = cuda::loaded_code::load(where_->context().of(), what, &said);
    if (auto const* failed = std::get_if<failure>(&got)) {
        // An error that destroyed the context is an earlier kernel's.
        if (cuda::is_sticky(said)) where_->check(said, failed->stage, {});
        throw stopped{*failed};
    }
    code_.emplace(std::move(std::get<cuda::loaded_code>(got)));
}

ATTUNE_INLINE loaded_variant::~loaded_variant()
{
    if (where_->is_blocked())
        // Unloading waits for a kernel that does not end.
        keep_for_ever(std::move(*code_));
    else
        where_->clean_up([this](cuda::driver const&) { code_.reset(); });
}

ATTUNE_INLINE void loaded_variant::launch(cuda::stream on, void** arguments)
{
    where_->check(code_->launch(arguments, on), failure_stage::launch, text_of(code_->geometry()));
}

} // namespace attune::inline ATTUNE_ABI::detail
