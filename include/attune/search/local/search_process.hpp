// attune/search/local/search_process.hpp - an algorithm as a coroutine that waits for outcomes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <coroutine>
#include <exception>
#include <utility>

namespace attune::inline ATTUNE_ABI {

/// The body of a search: co_await returns the values of the requested configurations. Owns the
/// coroutine; movable.
class search_process {
public:
    struct promise_type {
        std::exception_ptr thrown{};

        search_process get_return_object()
        {
            return search_process(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { thrown = std::current_exception(); }
    };

    search_process(search_process&& other) noexcept
        : body_(std::exchange(other.body_, {}))
    {
    }
    search_process& operator=(search_process&& other) noexcept
    {
        std::swap(body_, other.body_);
        return *this;
    }
    ~search_process()
    {
        if (body_) body_.destroy();
    }

    [[nodiscard]] bool is_done() const noexcept { return !body_ || body_.done(); }
    /// Runs up to the next suspension, or to the end.  @pre !is_done()
    /// Errors  those of the body, which is done then
    void resume()
    {
        body_.resume();
        if (std::exception_ptr const thrown = std::exchange(body_.promise().thrown, {}))
            std::rethrow_exception(thrown);
    }

private:
    explicit search_process(std::coroutine_handle<promise_type> body) noexcept
        : body_(body)
    {
    }

    std::coroutine_handle<promise_type> body_;
};

} // namespace attune::inline ATTUNE_ABI
