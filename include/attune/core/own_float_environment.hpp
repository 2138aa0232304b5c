// attune/core/own_float_environment.hpp - attune computes in a floating-point environment of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cfenv>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

/// The floating-point environment of a thread: rounding, traps, flushing to zero, precision of the
/// x87, raised flags.
class float_environment {
public:
    /// Reads the calling thread's.
    float_environment() noexcept;
    /// Makes it the calling thread's.
    void set() const noexcept;
    /// All but the raised flags, as the bits of the control registers.
    [[nodiscard]] unsigned long mode() const noexcept { return mode_; }
    /// True when the mode is what a program starts with.
    [[nodiscard]] bool is_usual() const noexcept;

private:
    std::fenv_t all_{};
    unsigned long mode_ = 0;
};

/// Restores the calling thread's environment at the end of a scope. For scopes that open shared
/// objects: one that was linked with -ffast-math flushes small numbers to zero from then on, and
/// one that was linked with -mpc32 sets the precision.
class kept_float_environment {
public:
    kept_float_environment() = default;
    ~kept_float_environment() { before_.set(); }
    kept_float_environment(kept_float_environment const&) = delete;
    kept_float_environment& operator=(kept_float_environment const&) = delete;

private:
    float_environment before_{};
};

/// While one exists, the calling thread computes as a program that has just started: rounding to
/// nearest, no trap, no flushing to zero. The destructor restores the host's environment with its
/// flags, so that the host sees nothing of what was computed meanwhile. It stands where attune's
/// work begins, at the functions that a program calls. One within another does nothing. Threads
/// that start meanwhile inherit attune's environment.
///
/// Host code that attune calls meanwhile (a kernel, a check, an objective) runs in the host's
/// environment: see hosts_float_environment.
class own_float_environment {
public:
    own_float_environment() noexcept;
    ~own_float_environment();
    own_float_environment(own_float_environment const&) = delete;
    own_float_environment& operator=(own_float_environment const&) = delete;

    /// The environment of host code on this thread: the thread's own where none of these exists.
    [[nodiscard]] static float_environment hosts() noexcept;
    /// Replaces it.
    static void set_hosts(float_environment const& now) noexcept;

    /// A place to which a signal handler jumps back, past destructors.
    class landing {
    public:
        landing() noexcept;
        /// Restores the environment and the scope of the construction.
        void restore() const noexcept;

    private:
        float_environment here_{};
        own_float_environment* scope_;
    };

private:
    friend class hosts_float_environment;
    [[nodiscard]] static own_float_environment*& at_work() noexcept;

    std::optional<float_environment> hosts_{}; ///< empty: within another scope
};

/// Within an own_float_environment: while one exists, the calling thread runs host code, in the
/// host's environment. Elsewhere it does nothing.
///
/// A mode that the host code changes (its rounding, say) stays the host's.
class hosts_float_environment {
public:
    enum class flags : bool {
        dropped, ///< of a trial run: the host sees no flag that it raises
        kept     ///< the host sees them, as those of any function that it calls
    };
    /// Cost  4 ns for `dropped` in a host with the usual environment, else 0.6 us
    explicit hosts_float_environment(flags raised = flags::dropped) noexcept;
    ~hosts_float_environment();
    hosts_float_environment(hosts_float_environment const&) = delete;
    hosts_float_environment& operator=(hosts_float_environment const&) = delete;

private:
    own_float_environment* scope_; ///< null: there is none
    flags raised_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/own_float_environment.ipp>
#endif
