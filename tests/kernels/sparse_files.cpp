#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../examples/kernels/support/sparse_files.hpp"
#include "../support/scratch_directory.hpp"

namespace {

/// What a reader makes of a file with this text.
auto read(auto const& reader, std::string const& text)
{
    support::scratch_directory const folder;
    support::write_file(folder.file("text"), text);
    return reader(folder.file("text"));
}

} // namespace

TEST_CASE("a Matrix Market file becomes rows of entries")
{
    struct row {
        char const* text;
        std::vector<int> start, column;
        std::vector<float> value;
    };
    for (row const& one :
         {// the other half of a symmetric one, too
          row{"%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 3\n"
              "1 1 2.5\n3 1 -1\n2 2 4\n",
              {0, 2, 3, 4},
              {0, 2, 1, 0},
              {2.5f, -1, 4, -1}},
          // entries that stand at the same place are added up
          row{"%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 2 1\n2 1 5\n1 2 2\n",
              {0, 1, 2},
              {1, 0},
              {3, 5}},
          // the words of the first line may be in any case, and a pattern's entries are ones
          row{"%%MatrixMarket MATRIX Coordinate Pattern General\r\n2 3 2\r\n2 3\r\n1 1\r\n",
              {0, 1, 2},
              {0, 2},
              {1, 1}}}) {
        CAPTURE(one.text);
        kernels::csr_matrix const a = read(kernels::read_matrix_market, one.text);
        CHECK(a.rows + 1 == static_cast<int>(one.start.size()));
        CHECK(a.start == one.start);
        CHECK(a.column == one.column);
        CHECK(a.value == one.value);
    }
}

TEST_CASE("a FROSTT file becomes slices of fibres")
{
    kernels::csf_tensor const b =
        read(kernels::read_frostt, "# three modes\n2 1 1 1.0\n2 1 4 2.0\n1 3 2 3.0\n");
    CHECK(b.extent == std::array<int, 3>{2, 3, 4});
    CHECK(b.slice_start == std::vector<int>{0, 1, 2});
    CHECK(b.fibre_start == std::vector<int>{0, 1, 3});
    CHECK(b.j_of == std::vector<int>{2, 0});
    CHECK(b.k_of == std::vector<int>{1, 0, 3});
    CHECK(b.value == std::vector<float>{3, 1, 2});
}

TEST_CASE("what is written entry by entry is read back, bit by bit")
{
    using kernels::pattern;
    for (pattern const how :
         {pattern::uniform, pattern::banded, pattern::power_law, pattern::blocked}) {
        kernels::csr_matrix const made = kernels::make_matrix(how, 50, 70, 8, 3);
        std::ostringstream out;
        out << "%%MatrixMarket matrix coordinate real general\n50 70 " << made.value.size() << '\n'
            << std::setprecision(9);
        for_each_entry(made, [&](std::size_t i, std::size_t j, double v) {
            out << i + 1 << ' ' << j + 1 << ' ' << v << '\n';
        });
        kernels::csr_matrix const a = read(kernels::read_matrix_market, out.str());
        CHECK(a.rows == 50);
        CHECK(a.columns == 70);
        CHECK(a.start == made.start);
        CHECK(a.column == made.column);
        CHECK(a.value == made.value);
    }
    kernels::csf_tensor const made = kernels::make_tensor({12, 9, 20}, 300, 4);
    std::ostringstream out;
    out << std::setprecision(9);
    for_each_entry(made, [&](std::size_t i, std::size_t j, std::size_t k, double v) {
        out << i + 1 << ' ' << j + 1 << ' ' << k + 1 << ' ' << v << '\n';
    });
    kernels::csf_tensor const b = read(kernels::read_frostt, out.str());
    CHECK(b.extent == made.extent);
    CHECK(b.slice_start == made.slice_start);
    CHECK(b.fibre_start == made.fibre_start);
    CHECK(b.i_of == made.i_of);
    CHECK(b.j_of == made.j_of);
    CHECK(b.k_of == made.k_of);
    CHECK(b.value == made.value);
}

TEST_CASE("a damaged file is refused with its line and what was expected there")
{
    auto const refusal = [](std::string const& name, std::string const& text) {
        support::scratch_directory const folder;
        std::string const path = folder.file(name);
        support::write_file(path, text);
        try {
            if (name.ends_with(".mtx"))
                (void)kernels::read_matrix_market(path);
            else
                (void)kernels::read_frostt(path);
        } catch (std::runtime_error const& e) {
            std::string const said = e.what();
            CHECK(said.starts_with(path));
            return said.substr(path.size());
        }
        return std::string{"accepted"};
    };
    auto const matrix = [&](std::string const& kind, std::string const& rest) {
        return refusal("attune_damaged.mtx", "%%MatrixMarket matrix " + kind + '\n' + rest);
    };
    std::string const banner = ":1: expected '%%MatrixMarket matrix coordinate "
                               "real|integer|pattern general|symmetric'";
    CHECK(refusal("attune_damaged.mtx", "") == banner);
    CHECK(matrix("array real general", "1 1\n1\n") == banner);
    CHECK(matrix("coordinate complex general", "1 1 1\n1 1 1 0\n") == banner);
    CHECK(matrix("coordinate real hermitian", "1 1 1\n1 1 1\n") == banner);
    std::string const real = "coordinate real general";
    std::string const sizes = ":2: expected rows, columns and the number of entries";
    CHECK(matrix(real, "2 2\n") == sizes);
    CHECK(matrix(real, "2 -2 1\n") == sizes);
    CHECK(matrix(real, "2 99999999999 1\n1 1 1\n") == sizes);
    CHECK(matrix("coordinate real symmetric", "2 3 1\n1 3 1\n") ==
          ":2: expected as many rows as columns in a symmetric matrix");
    std::string const inside = ":3: expected row, column and value of an entry inside the matrix";
    for (char const* const entry : {"3 1 1", "1 3 1", "0 1 1", "1 -1 1", "1 1", "1 1 x", "1 1 1 1"})
        CHECK(matrix(real, "2 2 1\n" + std::string{entry} + '\n') == inside);
    CHECK(matrix(real, "2 2 2\n1 1 1\n") == ":3: expected 2 entries");
    CHECK(matrix(real, "2 2 1\n1 1 1\n\n2 2 1\n") == ":5: expected no more than 1 entries");

    CHECK(refusal("attune_damaged.tns", "0 1 1 1\n") == ":1: expected coordinates from 1 on");
    std::string const three = ":2: expected three coordinates and a value";
    for (char const* const entry : {"1 1 1", "1 1 1 1 1", "1 1 a 1", "1 1 99999999999 1"})
        CHECK(refusal("attune_damaged.tns", "1 1 1 1\n" + std::string{entry} + '\n') == three);
    CHECK_THROWS_AS((void)kernels::read_frostt("/no/such/file.tns"), std::runtime_error);
    CHECK_THROWS_AS((void)kernels::read_matrix_market("/no/such/file.mtx"), std::runtime_error);
}
