// tests/support/rank_program.hpp - what programs for mpirun say and wait for.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdio>
#include <mpi.h>
#include <string>
#include <thread>

namespace support {

[[nodiscard]] inline int own_rank()
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// At once, so that lines of a rank that is killed are not lost.
inline void say(std::string const& line)
{
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
}

inline void sleep_s(double s) { std::this_thread::sleep_for(std::chrono::duration<double>(s)); }

} // namespace support
