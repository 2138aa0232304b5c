// attune/core/posix/signals.ipp - sigaction() calls, the passing on of a signal, and the walk up the stack.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/signals.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>
#include <unwind.h>

namespace attune::inline ATTUNE_ABI::detail {

/// The findings of the walk up the stack.
struct signal_frame_search {
    int frames_left = 64;
    bool is_found = false;
};

inline _Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* search)
{
    auto& state = *static_cast<signal_frame_search*>(search);
    int is_interrupted = 0; // 1: interrupted at this instruction, 0: this is a call
    static_cast<void>(_Unwind_GetIPInfo(context, &is_interrupted));
    state.is_found = is_interrupted != 0;
    return state.is_found || --state.frames_left <= 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

ATTUNE_INLINE bool is_in_signal_handler() noexcept
{
    sigset_t blocked;
    if (::pthread_sigmask(SIG_BLOCK, nullptr, &blocked) != 0) return false;
    bool is_any = false;
    for (int signal = 1; signal < NSIG && !is_any; ++signal)
        is_any = ::sigismember(&blocked, signal) == 1;
    if (!is_any) return false; // a running handler blocks its signal
    signal_frame_search search;
    static_cast<void>(_Unwind_Backtrace(look_at_frame, &search));
    return search.is_found;
}

/// Functions under which constructors and destructors of libraries run.
struct loader_frame_search {
    loader_frame_search()
        : libc_(::dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD))
    {
        std::size_t i = 0;
        for (char const* const name : {"dlopen", "dlmopen", "dlclose"}) {
            functions[i++] = ::dlsym(RTLD_DEFAULT, name);
            // A sanitizer or a preloaded library may stand before the function of libc.
            if (libc_ != nullptr) functions[i++] = ::dlsym(libc_, name);
        }
    }
    ~loader_frame_search()
    {
        if (libc_ != nullptr) ::dlclose(libc_);
    }
    loader_frame_search(loader_frame_search const&) = delete;
    loader_frame_search& operator=(loader_frame_search const&) = delete;

    std::array<void*, 6> functions{};
    int frames_left = 256;
    bool is_found = false;

private:
    void* libc_;
};

inline _Unwind_Reason_Code look_for_loader(_Unwind_Context* context, void* search)
{
    auto& state = *static_cast<loader_frame_search*>(search);
    void* call = nullptr;
    auto const at = static_cast<std::uintptr_t>(_Unwind_GetIP(context)) - 1;
    std::memcpy(&call, &at, sizeof call);
    void const* const function = _Unwind_FindEnclosingFunction(call);
    for (void const* const one : state.functions)
        state.is_found = state.is_found || (one != nullptr && one == function);
    return state.is_found || --state.frames_left <= 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

ATTUNE_INLINE void require_free_loader()
{
    loader_frame_search search;
    static_cast<void>(_Unwind_Backtrace(look_for_loader, &search));
    if (search.is_found)
        throw error("a kernel must be compiled while a library is loaded or unloaded",
                    "a constructor or destructor of a static object in a library, within dlopen() "
                    "or dlclose()",
                    "call the kernel after dlopen(), or give it a function of the program by "
                    "kernel.fallback(f) or attune_add_kernel");
}

/// Counts how often any copy or version of attune has passed this signal on. The count is stored in
/// bytes of siginfo_t that no system uses. QEMU's user mode does not clear them for the next
/// signal: restore() does. The type has no destructor, for a handler may leave by siglongjmp().
class passed_count {
public:
    explicit passed_count(siginfo_t* info) noexcept
        : bytes_(reinterpret_cast<unsigned char*>(info) + sizeof(siginfo_t) - sizeof before_)
    {
        constexpr std::uint64_t ours = 0xa77e'0000'51e9'0000; // the last 16 bits count
        std::memcpy(&before_, bytes_, sizeof before_);
        now_ = ((before_ & ~std::uint64_t{0xffff}) != ours ? ours : before_) + 1;
        std::memcpy(bytes_, &now_, sizeof now_);
    }
    void restore() const noexcept { std::memcpy(bytes_, &before_, sizeof before_); }
    [[nodiscard]] unsigned value() const noexcept { return static_cast<unsigned>(now_ & 0xffff); }

private:
    unsigned char* bytes_;
    std::uint64_t before_ = 0;
    std::uint64_t now_ = 0;
};

ATTUNE_INLINE bool is_function(struct sigaction const& action) noexcept
{
    if ((action.sa_flags & SA_SIGINFO) != 0) return true;
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

/// Compares the signals only: bytes beyond the last signal are undefined.
[[nodiscard]] inline bool are_equal(sigset_t const& a, sigset_t const& b) noexcept
{
    for (int signal = 1; signal < NSIG; ++signal)
        if (sigismember(&a, signal) != sigismember(&b, signal)) return false;
    return true;
}

ATTUNE_INLINE bool taken_handler::is_ours(struct sigaction const& other) const noexcept
{
    return (other.sa_flags & SA_SIGINFO) != 0 && other.sa_sigaction == ours_.sa_sigaction;
}

ATTUNE_INLINE struct sigaction const* taken_handler::kept(struct sigaction const& other) noexcept
{
    for (std::size_t i = 0; i < std::min(count_.load(), formers_.size()); ++i) {
        struct sigaction const& known = formers_[i];
        if (known.sa_handler == other.sa_handler && known.sa_flags == other.sa_flags &&
            are_equal(known.sa_mask, other.sa_mask))
            return &known;
    }
    struct sigaction& place = formers_[count_ % formers_.size()];
    place = other;
    ++count_;
    return &place;
}

ATTUNE_INLINE void taken_handler::take(int signal, struct sigaction const& ours) noexcept
{
    signal_ = signal;
    ours_ = ours;
    is_taken_ = true;
    struct sigaction now{};
    if (::sigaction(signal, nullptr, &now) != 0) return;
    if (is_ours(now))
        return; // attune's handler is still installed: give_back() could not remove it
    struct sigaction const* const former = kept(now);
    former_ = former;
    struct sigaction replaced{};
    ::sigaction(signal, &ours, &replaced);
    if (!is_ours(replaced))
        former_ = kept(replaced); // differs when another thread has just replaced it
}

ATTUNE_INLINE void taken_handler::give_back() noexcept
{
    if (!is_taken_) return;
    is_taken_ = false;
    struct sigaction now{};
    ::sigaction(signal_, nullptr, &now);
    if (!is_ours(now)) return;
    // Another copy may have taken the signal in between; this restores the handler of that copy.
    if (::sigaction(signal_, former_.load(), &now) == 0 && !is_ours(now))
        ::sigaction(signal_, &now, nullptr);
}

ATTUNE_INLINE void taken_handler::pass_on(int signal, siginfo_t* info, void* context) const noexcept
{
    struct sigaction const* next = former_.load();
    if (next == nullptr) return;
    // Copies of attune that end in another order than they began may pass a signal in a circle.
    // After 8 rounds, attune tries in turn the former handlers that the signal has met. After 256
    // rounds the default action follows.
    constexpr unsigned most_copies = 8;
    constexpr unsigned most_tries = 256;
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    if (is_function(*next)) {
        passed_count const count(info);
        unsigned const passed = count.value();
        std::size_t const met = std::min(count_.load(), formers_.size());
        struct sigaction const& other = formers_[passed / 3 % met];
        if (passed > most_copies && is_function(other)) next = &other;
        if (passed > most_tries) next = &standard;
        if ((next->sa_flags & SA_SIGINFO) != 0)
            next->sa_sigaction(signal, info, context);
        else if (is_function(*next))
            next->sa_handler(signal);
        count.restore();
        if (is_function(*next)) return;
    }
    bool const is_fault =
        (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE) &&
        info->si_code > 0;
    if (next->sa_handler == SIG_IGN && !is_fault) return;
    // A hardware fault occurs again after the return; a sent signal must be raised here.
    ::sigaction(signal, next, nullptr);
    if (!is_fault) ::raise(signal);
}

} // namespace attune::inline ATTUNE_ABI::detail
