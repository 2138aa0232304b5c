// bench/space/listing_solver.hpp - a solver that lists the solutions of a space one by one.
// SPDX-License-Identifier: MIT
//
// As DnnSAT does (Gao et al. 2021, Sec. IV-E): each solution that was found is excluded, and the
// solver asked again.
#pragma once

#include <attune/declare/description.hpp>
#include <attune/space/files/write_smtlib.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace bench {

/// The path of `program`, or nothing.
[[nodiscard]] inline std::string solver_in_path(std::string const& program)
{
    char const* const path = std::getenv("PATH");
    std::string rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        std::string const folder = rest.substr(0, rest.find(':'));
        rest.erase(0, folder.size() + 1);
        std::string const found = folder + '/' + program;
        if (::access(found.c_str(), X_OK) == 0) return found;
    }
    return "";
}

struct listing {
    double seconds = 0;
    int solutions = 0;
};

/// A program that reads commands and answers with lines.
class solver_process {
public:
    explicit solver_process(std::string const& program)
    {
        int to[2];
        int from[2];
        if (::pipe(to) != 0 || ::pipe(from) != 0) throw std::runtime_error("no pipe");
        process_ = ::fork();
        if (process_ == 0) {
            ::dup2(to[0], 0);
            ::dup2(from[1], 1);
            for (int const end : {to[0], to[1], from[0], from[1]})
                ::close(end);
            ::execl(program.c_str(), program.c_str(), "-in", nullptr);
            ::_exit(127);
        }
        ::close(to[0]);
        ::close(from[1]);
        commands_ = ::fdopen(to[1], "w");
        answers_ = ::fdopen(from[0], "r");
    }
    ~solver_process()
    {
        std::fclose(commands_);
        std::fclose(answers_);
        ::waitpid(process_, nullptr, 0);
    }
    solver_process(solver_process const&) = delete;
    solver_process& operator=(solver_process const&) = delete;

    void send(std::string const& text) { std::fputs(text.c_str(), commands_); }
    /// The next line of its answer, without the end.
    [[nodiscard]] std::string line()
    {
        std::fflush(commands_);
        std::string out;
        for (int c = std::fgetc(answers_); c != '\n'; c = std::fgetc(answers_)) {
            if (c == EOF) throw std::runtime_error("the solver ended: " + out);
            out += static_cast<char>(c);
        }
        return out;
    }

private:
    int process_ = -1;
    std::FILE* commands_ = nullptr;
    std::FILE* answers_ = nullptr;
};

/// Lists up to `most` solutions of a space whose parameters are counted, one number each.
/// Errors   std::runtime_error: the solver fails, or finds none
[[nodiscard]] inline listing
list_solutions(std::string const& program, attune::description const& space, int most)
{
    solver_process solver(program);
    auto const begin = std::chrono::steady_clock::now();
    solver.send(attune::write_smtlib(space));
    listing out;
    while (out.solutions < most) {
        solver.send("(check-sat)\n");
        std::string const answer = solver.line();
        if (answer == "unsat") break;
        if (answer != "sat") throw std::runtime_error("the solver says: " + answer);
        std::string excluded;
        for (std::uint32_t i = 0; i < space.parameters.size(); ++i) {
            std::string const name = attune::smtlib_name(space, i);
            solver.send("(get-value (" + name + "))\n");
            std::string const value = solver.line(); // ((NAME value))
            std::string const number =
                value.substr(2 + name.size() + 1, value.size() - name.size() - 5);
            excluded += " (= " + name + ' ' + number + ')';
        }
        solver.send("(assert (not (and true" + excluded + ")))\n");
        ++out.solutions;
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (out.solutions == 0) throw std::runtime_error("the solver finds no solution");
    return out;
}

} // namespace bench
