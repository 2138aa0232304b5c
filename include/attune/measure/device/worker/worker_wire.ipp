// attune/measure/device/worker/worker_wire.ipp - sockets, frames and shared memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/device/worker/worker_wire.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// Moves a descriptor above 4: a worker uses 0 to 4 for its own files.
[[nodiscard]] inline descriptor moved_up(int made) noexcept
{
    descriptor const first(made);
    return descriptor(made < 0 ? -1 : ::fcntl(made, F_DUPFD_CLOEXEC, 5));
}

[[nodiscard]] inline error no_shared_memory(std::size_t bytes)
{
    return error("no memory to share with a worker process",
                 std::to_string(bytes) + " bytes: " + std::strerror(errno),
                 "free memory, or let variants run in this process");
}

ATTUNE_INLINE shared_memory::shared_memory(std::size_t bytes)
    : size_(bytes)
{
#if defined(__linux__)
    file_ = moved_up(::memfd_create("attune worker", MFD_CLOEXEC | MFD_ALLOW_SEALING));
#else
    errno = ENOSYS;
#endif
    attune::detail::quiet_writes const quiet;
    if (!file_.is_open() || ::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0)
        throw no_shared_memory(bytes);
#if defined(__linux__)
    if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) throw no_shared_memory(bytes);
#endif
    map(PROT_READ | PROT_WRITE);
}

ATTUNE_INLINE shared_memory::shared_memory(descriptor file, std::size_t bytes)
    : file_(std::move(file))
    , size_(bytes)
{
    struct stat found{};
    // Reading past the end of the file raises SIGBUS, also if the sender shrinks the file later.
#if defined(__linux__)
    int const seals = ::fcntl(file_.get(), F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) throw damaged_message();
#endif
    if (::fstat(file_.get(), &found) != 0 || found.st_size < 0 ||
        static_cast<std::size_t>(found.st_size) < bytes)
        throw damaged_message();
    map(PROT_READ);
}

ATTUNE_INLINE shared_memory::shared_memory(shared_memory&& other) noexcept
    : file_(std::move(other.file_))
    , data_(std::exchange(other.data_, nullptr))
    , size_(std::exchange(other.size_, 0))
{
}

ATTUNE_INLINE shared_memory& shared_memory::operator=(shared_memory&& other) noexcept
{
    std::swap(file_, other.file_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

ATTUNE_INLINE shared_memory::~shared_memory()
{
    if (data_ != nullptr) ::munmap(data_, size_);
}

ATTUNE_INLINE void shared_memory::map(int protection)
{
    if (size_ == 0) return;
    void* const at = ::mmap(nullptr, size_, protection, MAP_SHARED, file_.get(), 0);
    if (at == MAP_FAILED) throw no_shared_memory(size_);
    data_ = static_cast<std::byte*>(at);
}

struct frame {
    std::uint32_t mark = 0;
    message_kind kind{};
    std::uint64_t text_bytes = 0;
    std::uint64_t bulk_bytes = 0;
    std::uint64_t has_bulk = 0;

    static constexpr std::uint32_t right_mark = 0x61747477; ///< detects damaged messages
};

/// Upper limit of a text in bytes, far above the size of a kernel's code.
inline constexpr std::uint64_t longest_text = std::uint64_t{1} << 32;

ATTUNE_INLINE transfer wait_for(int socket, short events, double until_s)
{
    for (;;) {
        double const left_s = until_s - system_clocks().wall_s();
        if (!(left_s > 0)) return transfer::late;
        pollfd one{socket, events, 0};
        // Rounds up: the last millisecond is not spent polling.
        int const got = ::poll(&one, 1, static_cast<int>(std::min(left_s * 1e3, 1e6)) + 1);
        if (got > 0) return transfer::done;
        if (got < 0 && errno != EINTR) return transfer::ended;
    }
}

/// Calls `step` until all bytes are transferred.
template <class Step>
[[nodiscard]] transfer through(int socket, short events, char* data, std::size_t bytes,
                               double until_s, Step const& step)
{
    while (bytes > 0) {
        if (transfer const t = wait_for(socket, events, until_s); t != transfer::done) return t;
        ssize_t const moved = step(data, bytes);
        if (moved < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (moved <= 0) return transfer::ended;
        data += moved;
        bytes -= static_cast<std::size_t>(moved);
    }
    return transfer::done;
}

/// A message header with room for one descriptor.
struct envelope {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    iovec part{};
    msghdr header{};

    envelope(void* data, std::size_t bytes, bool with_descriptor) noexcept
    {
        part.iov_base = data;
        part.iov_len = bytes;
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        if (!with_descriptor) return;
        header.msg_control = room.data();
        header.msg_controllen = room.size();
    }
};

ATTUNE_INLINE std::pair<descriptor, descriptor> make_connection()
{
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw error("no connection to a worker process can be made", std::strerror(errno),
                    "raise the limit on open files (ulimit -n)");
    std::pair made{moved_up(ends[0]), moved_up(ends[1])};
    if (!made.first.is_open() || !made.second.is_open())
        throw error("no connection to a worker process can be made", std::strerror(errno),
                    "raise the limit on open files (ulimit -n)");
    return made;
}

ATTUNE_INLINE transfer send(int socket, message const& what, double until_s)
{
    frame head{frame::right_mark, what.kind, what.text.size(), what.bulk_bytes,
               what.bulk.is_open() ? 1u : 0u};
    bool sends_bulk = what.bulk.is_open();
    // No SIGPIPE if the other end is closed.
    int const flags = MSG_NOSIGNAL | MSG_DONTWAIT;
    auto const first = [&](char* data, std::size_t bytes) {
        envelope e(data, bytes, sends_bulk);
        if (sends_bulk) {
            cmsghdr* const c = CMSG_FIRSTHDR(&e.header);
            c->cmsg_level = SOL_SOCKET;
            c->cmsg_type = SCM_RIGHTS;
            c->cmsg_len = CMSG_LEN(sizeof(int));
            int const number = what.bulk.get();
            std::memcpy(CMSG_DATA(c), &number, sizeof number);
        }
        ssize_t const sent = ::sendmsg(socket, &e.header, flags);
        if (sent > 0) sends_bulk = false; // the first byte carried it
        return sent;
    };
    transfer const t =
        through(socket, POLLOUT, reinterpret_cast<char*>(&head), sizeof head, until_s, first);
    if (t != transfer::done) return t;
    std::string const& text = what.text;
    return through(
        socket, POLLOUT, const_cast<char*>(text.data()), text.size(), until_s,
        [&](char* data, std::size_t bytes) { return ::send(socket, data, bytes, flags); });
}

ATTUNE_INLINE transfer receive(int socket, message& into, double until_s)
{
    into = {};
    frame head{};
    auto const first = [&](char* data, std::size_t bytes) {
        envelope e(data, bytes, true);
        ssize_t const got = ::recvmsg(socket, &e.header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (got <= 0) return got;
        for (cmsghdr* c = CMSG_FIRSTHDR(&e.header); c != nullptr; c = CMSG_NXTHDR(&e.header, c))
            if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
                c->cmsg_len == CMSG_LEN(sizeof(int))) {
                int number = -1;
                std::memcpy(&number, CMSG_DATA(c), sizeof number);
                into.bulk = descriptor(number);
            }
        return got;
    };
    transfer t =
        through(socket, POLLIN, reinterpret_cast<char*>(&head), sizeof head, until_s, first);
    if (t != transfer::done) return t;
    if (head.mark != frame::right_mark || head.text_bytes > longest_text ||
        (head.has_bulk != 0) != into.bulk.is_open())
        throw damaged_message();
    into.kind = head.kind;
    into.bulk_bytes = head.bulk_bytes;
    // In pieces: a wrong length then allocates little memory.
    for (std::uint64_t left = head.text_bytes; left > 0 && t == transfer::done;) {
        std::size_t const piece = static_cast<std::size_t>(std::min<std::uint64_t>(left, 1 << 20));
        std::size_t const begin = into.text.size();
        into.text.resize(begin + piece);
        t = through(
            socket, POLLIN, into.text.data() + begin, piece, until_s,
            [&](char* data, std::size_t n) { return ::recv(socket, data, n, MSG_DONTWAIT); });
        left -= piece;
    }
    return t;
}

} // namespace attune::inline ATTUNE_ABI::detail::worker
