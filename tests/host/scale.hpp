// tests/host/scale.hpp - a kernel that tunes itself, for programs that do things to their process.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace host {

struct settings {
    /// Threads call it past its destructor: that destroys the attune::tuned alone, and in its
    /// place.
    bool outlived = false;
    unsigned evaluations = 60;
    double seconds = 60;
    std::string store{};      ///< a file; empty: in memory
    bool system = false;      ///< g++ and not the Clang module
    bool fork_always = false; ///< isolation::fork
};

/// y[i] += factor * x[i], in one of a few hundred ways. The number of elements is an input: each is
/// tuned for itself.
class scale {
public:
    explicit scale(settings const& s = {});
    ~scale();
    scale(scale const&) = delete;
    scale& operator=(scale const&) = delete;

    void operator()(std::vector<double> const& x, std::vector<double>& y, double factor);

    struct told {
        unsigned evaluations = 0;
        unsigned failures = 0;
        bool interrupted = false;
        double elapsed_s = 0;
        double speedup = 1;
        std::string isolation{};
        std::string notices{};
    };
    [[nodiscard]] told report() const;

private:
    struct parts;
    parts* parts_;
};

/// What a caller has, and whether so many calls were made on it.
struct arrays {
    std::vector<double> x;
    std::vector<double> y;

    explicit arrays(std::size_t n)
        : x(n)
        , y(n, 100)
    {
        for (std::size_t i = 0; i < n; ++i)
            x[i] = static_cast<double>(i % 1000);
    }
    void call(scale& s) { s(x, y, 3); }
    [[nodiscard]] bool called(int times) const
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            if (x[i] != static_cast<double>(i % 1000) || y[i] != 100 + 3.0 * times * x[i])
                return false;
        return true;
    }
};

#define HOST_CHECK(what)                                                                           \
    do {                                                                                           \
        if (what) break;                                                                           \
        std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what);                    \
        std::_Exit(1);                                                                             \
    } while (false)

} // namespace host
