// attune/tune/loop/session_at_work.hpp - counts the sessions that tune in this process.
// SPDX-License-Identifier: MIT
// tested by tune/dispatch/apart_tuning.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// An object exists while a session tunes. Other work of attune in this process waits meanwhile,
/// because it would disturb the session's times.
class session_at_work {
public:
    session_at_work() noexcept;
    ~session_at_work();
    session_at_work(session_at_work const&) = delete;
    session_at_work& operator=(session_at_work const&) = delete;

    /// Number of these objects in this process. Objects of a parent process do not count.
    [[nodiscard]] static std::uint32_t count() noexcept;

private:
    std::uint32_t process_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/session_at_work.ipp>
#endif
