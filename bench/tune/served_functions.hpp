// bench/tune/served_functions.hpp - functions of another process, which times them when it is asked: served.py.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace bench {

class served_functions {
public:
    /// @param words  the command; its standard input and output are ours, its messages go to stderr
    /// Errors   std::runtime_error: it does not start, or ends before it can serve
    explicit served_functions(std::vector<std::string> words)
        : command_(words.front())
    {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            throw std::runtime_error("no socket for " + command_);
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_adddup2(&files, ends[1], 0);
        ::posix_spawn_file_actions_adddup2(&files, ends[1], 1);
        std::vector<char*> arguments;
        for (std::string& word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        int const problem =
            ::posix_spawnp(&process_, arguments[0], &files, nullptr, arguments.data(), environ);
        ::posix_spawn_file_actions_destroy(&files);
        ::close(ends[1]);
        socket_ = ends[0];
        if (problem != 0) {
            ::close(socket_);
            throw std::runtime_error(command_ + " does not start");
        }
        try {
            (void)answer_to("whether it is there", "ready");
        } catch (...) {
            end();
            throw;
        }
    }
    served_functions(served_functions const&) = delete;
    served_functions& operator=(served_functions const&) = delete;
    ~served_functions() { end(); }

    /// The labels of what it has for a layer.
    /// Errors   std::runtime_error: it ended, or says why it has none
    [[nodiscard]] std::vector<std::string> load(std::string const& layer)
    {
        std::istringstream answer(ask("load " + layer, "ready"));
        std::vector<std::string> out;
        for (std::string label; answer >> label;)
            out.push_back(label);
        return out;
    }

    /// Processor seconds of one call, of `calls` after one that does not count.
    /// Errors   as load()
    [[nodiscard]] double seconds(std::string const& label, std::size_t calls)
    {
        return std::strtod(ask("time " + label + ' ' + std::to_string(calls), "seconds").c_str(),
                           nullptr);
    }

private:
    /// What follows `expected` in the line that answers.
    [[nodiscard]] std::string ask(std::string const& question, std::string const& expected)
    {
        std::string const line = question + '\n';
        (void)::send(socket_, line.data(), line.size(), MSG_NOSIGNAL);
        return answer_to(question, expected);
    }
    [[nodiscard]] std::string answer_to(std::string const& question, std::string const& expected)
    {
        std::string answer;
        for (char next = 0; ::recv(socket_, &next, 1, 0) == 1 && next != '\n';)
            answer += next;
        if (!answer.starts_with(expected))
            throw std::runtime_error(command_ + ", asked '" + question +
                                     "': " + (answer.empty() ? "it has ended" : answer));
        return answer.substr(expected.size());
    }
    void end()
    {
        ::close(socket_); // the end of its input ends it
        ::waitpid(process_, nullptr, 0);
    }

    std::string command_;
    pid_t process_ = -1;
    int socket_ = -1;
};

} // namespace bench
