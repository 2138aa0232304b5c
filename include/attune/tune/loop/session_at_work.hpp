// attune/tune/loop/session_at_work.hpp - counts the sessions that tune in this process.
// SPDX-License-Identifier: MIT
// tested by tune/dispatch/apart_tuning.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// Exists while a session tunes: work beside the program would disturb its times.
class session_at_work {
public:
    session_at_work() noexcept;
    ~session_at_work();
    session_at_work(session_at_work const&) = delete;
    session_at_work& operator=(session_at_work const&) = delete;

    /// Number of these objects. Those of a parent process do not count.
    [[nodiscard]] static std::uint32_t count() noexcept;

private:
    std::uint32_t process_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/session_at_work.ipp>
#endif
