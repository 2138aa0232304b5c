// attune/measure/device/worker/worker_wire.hpp - messages between the program and a worker process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/message/message_values.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::worker {

using attune::detail::descriptor;

/// Memory that can be shared with another process.
class shared_memory {
public:
    shared_memory() = default;
    /// Makes writable zeros.
    /// Errors   attune::error: no memory, or the system has no shared memory
    explicit shared_memory(std::size_t bytes);
    /// Reads memory that another process has written.
    /// Errors   damaged_message: the file is shorter than `bytes`, or may shrink
    shared_memory(descriptor file, std::size_t bytes);
    shared_memory(shared_memory&& other) noexcept;
    shared_memory& operator=(shared_memory&& other) noexcept;
    ~shared_memory();

    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Releases the file, which keeps the contents.
    [[nodiscard]] descriptor take_file() noexcept { return std::move(file_); }

private:
    void map(int protection);

    descriptor file_{};
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// The type of a message. `begin` to `service` are requests, the others are answers.
enum class message_kind : std::uint32_t {
    begin,
    establish,
    first_run,
    contents,
    time,
    compare,
    service,     ///< its text has the name of a worker_service, then the request
    ready,       ///< to `begin`
    unreachable, ///< to `begin`: the worker cannot reach the arrays by this route
    answer,      ///< to all other requests
    thrown,      ///< to any request: an exception
    last_answer, ///< as `answer`; the worker's arrays may be damaged, and it must be replaced
};

struct message {
    message_kind kind{};
    std::string text{}; ///< made by `message_writer`
    descriptor bulk{};  ///< a shared_memory of `bulk_bytes`; may be closed
    std::uint64_t bulk_bytes = 0;
};

enum class transfer : std::uint8_t {
    done,
    ended, ///< the other end is closed
    late,  ///< the time is over
};

/// Two connected sockets; programs that this process starts do not inherit them.
/// Errors   attune::error
[[nodiscard]] std::pair<descriptor, descriptor> make_connection();

/// @param until_s  seconds of the steady clock, see system_clocks; infinity: no limit
[[nodiscard]] transfer send(int socket, message const& what, double until_s);
/// Errors   damaged_message
[[nodiscard]] transfer receive(int socket, message& into, double until_s);
/// Waits for the socket. @return  done: reading or writing may succeed
[[nodiscard]] transfer wait_for(int socket, short events, double until_s);

} // namespace attune::inline ATTUNE_ABI::detail::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/worker/worker_wire.ipp>
#endif
