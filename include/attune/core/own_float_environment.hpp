// attune/core/own_float_environment.hpp - attune computes in its own floating-point environment.
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
    float_environment() noexcept;
    /// Gives this environment to the calling thread.
    void set() const noexcept;
    /// Control register bits, without the raised flags.
    [[nodiscard]] unsigned long mode() const noexcept { return mode_; }
    /// Returns true if the mode is that of a program that has just started.
    [[nodiscard]] bool is_usual() const noexcept;

private:
    std::fenv_t all_{};
    unsigned long mode_ = 0;
};

/// Restores the calling thread's environment at the end of a scope. For loading of shared objects:
/// an object linked with -ffast-math makes the thread flush small numbers to zero, and an object
/// linked with -mpc32 sets the precision.
class kept_float_environment {
public:
    kept_float_environment() = default;
    ~kept_float_environment() { before_.set(); }
    kept_float_environment(kept_float_environment const&) = delete;
    kept_float_environment& operator=(kept_float_environment const&) = delete;

private:
    float_environment before_{};
};

/// While an object exists, the calling thread has the environment of a program that has just
/// started: rounding to nearest, no trap, no flushing to zero. The destructor restores the host's
/// environment with its flags. Each function that a program calls to start attune's work makes an
/// object; an inner object does nothing. Threads that start meanwhile inherit attune's environment.
///
/// Meanwhile pthread_cancel() waits. Cancellation unwinds the stack like an exception, which would
/// end the program in a noexcept function.
///
/// Host code that attune calls meanwhile (a kernel, a check, an objective) runs in the host's
/// environment: see hosts_float_environment.
class own_float_environment {
public:
    own_float_environment() noexcept;
    ~own_float_environment();
    own_float_environment(own_float_environment const&) = delete;
    own_float_environment& operator=(own_float_environment const&) = delete;

    /// The environment of host code on this thread. Outside of a scope it is the thread's present
    /// environment.
    [[nodiscard]] static float_environment hosts() noexcept;
    static void set_hosts(float_environment const& now) noexcept;

    /// A place to which a signal handler jumps back, without calling destructors.
    class landing {
    public:
        landing() noexcept;
        /// Restores the environment and the scope that were there at the construction.
        void restore() const noexcept;

    private:
        float_environment here_{};
        own_float_environment* scope_;
    };

private:
    friend class hosts_float_environment;
    [[nodiscard]] static own_float_environment*& at_work() noexcept;

    std::optional<float_environment> hosts_{}; ///< empty: within another scope
    int cancelled_ = 0;                        ///< the host's state of pthread_setcancelstate()
};

/// While an object of this class exists within an own_float_environment, the calling thread runs
/// host code in the host's environment. Elsewhere the object does nothing.
///
/// If the host code changes a mode (its rounding, say), the host keeps that mode.
class hosts_float_environment {
public:
    enum class flags : bool {
        dropped, ///< flags of a trial run: the host does not see them
        kept     ///< the host sees the flags, like the flags of any called function
    };
    /// Cost  4 ns for `dropped` in a host with the usual environment, else 0.6 us
    explicit hosts_float_environment(flags raised = flags::dropped) noexcept;
    ~hosts_float_environment();
    hosts_float_environment(hosts_float_environment const&) = delete;
    hosts_float_environment& operator=(hosts_float_environment const&) = delete;

private:
    own_float_environment* scope_; ///< null: no scope
    flags raised_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/own_float_environment.ipp>
#endif
