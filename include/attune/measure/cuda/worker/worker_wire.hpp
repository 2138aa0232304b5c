// attune/measure/cuda/worker/worker_wire.hpp - messages between the program and a worker process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cuda/worker/message_values.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::worker {

using attune::detail::descriptor;

/// Memory that can be handed to another process.
class shared_memory {
public:
    shared_memory() = default;
    /// Zeros, to be written.
    /// Errors   attune::error: no memory, or no such thing on this system
    explicit shared_memory(std::size_t bytes);
    /// What another process has written, to be read only.
    /// Errors   damaged_message: it is not as long as that
    shared_memory(descriptor file, std::size_t bytes);
    shared_memory(shared_memory&& other) noexcept;
    shared_memory& operator=(shared_memory&& other) noexcept;
    ~shared_memory();

    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The file alone: it keeps what was written.
    [[nodiscard]] descriptor take_file() noexcept { return std::move(file_); }

private:
    void map(int protection);

    descriptor file_{};
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// What a message is about. Those of the first row ask, the others answer.
enum class message_kind : std::uint32_t {
    begin,
    establish,
    first_run,
    contents,
    time,
    compare,
    ready,       ///< to begin
    unreachable, ///< to begin: the arrays cannot be had in this way
    answer,      ///< to all others
    thrown,      ///< to any: an exception
    last_answer, ///< an answer too, of a worker whose arrays may be damaged: it is to be replaced
};

/// One message as it travels.
struct message {
    message_kind kind{};
    std::string text{}; ///< made by `writer`
    descriptor bulk{};  ///< a shared_memory of `bulk_bytes`, if any
    std::uint64_t bulk_bytes = 0;
};

enum class transfer : std::uint8_t {
    done,
    ended, ///< the other end is gone
    late,  ///< the time is up
};

/// Two connected ends, which programs started from here do not inherit.
/// Errors   attune::error
[[nodiscard]] std::pair<descriptor, descriptor> make_connection();

/// @param until_s  on the steady clock, see system_clocks; infinite: wait as long as it takes
[[nodiscard]] transfer send(int socket, message const& what, double until_s);
/// Errors   damaged_message
[[nodiscard]] transfer receive(int socket, message& into, double until_s);

namespace detail {
/// Waits for the socket. @return  done: it is worth trying
[[nodiscard]] transfer wait_for(int socket, short events, double until_s);
} // namespace detail

} // namespace attune::inline ATTUNE_ABI::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/worker/worker_wire.ipp>
#endif
