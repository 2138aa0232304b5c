#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../examples/kernels/support/sparse_files.hpp"

namespace {

struct text_file {
    std::filesystem::path path;

    text_file(std::string const& name, std::string const& text)
        : path(std::filesystem::temp_directory_path() / name)
    {
        std::ofstream(path) << text;
    }
    text_file(text_file const&) = delete;
    text_file& operator=(text_file const&) = delete;
    ~text_file() { std::filesystem::remove(path); }
};

} // namespace

TEST_CASE("a Matrix Market file becomes rows of entries, the other half of a symmetric one too")
{
    text_file const file("attune_symmetric.mtx",
                         "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 3\n"
                         "1 1 2.5\n3 1 -1\n2 2 4\n");
    kernels::csr_matrix const a = kernels::read_matrix_market(file.path.string());
    CHECK(a.rows == 3);
    CHECK(a.start == std::vector<int>{0, 2, 3, 4});
    CHECK(a.column == std::vector<int>{0, 2, 1, 0});
    CHECK(a.value == std::vector<float>{2.5f, -1, 4, -1});
}

TEST_CASE("entries that stand at the same place are added up")
{
    text_file const file("attune_twice.mtx",
                         "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 2 1\n2 1 5\n"
                         "1 2 2\n");
    kernels::csr_matrix const a = kernels::read_matrix_market(file.path.string());
    CHECK(a.value == std::vector<float>{3, 5});
}

TEST_CASE("a FROSTT file becomes slices of fibres")
{
    text_file const file("attune_small.tns", "# three modes\n2 1 1 1.0\n2 1 4 2.0\n1 3 2 3.0\n");
    kernels::csf_tensor const b = kernels::read_frostt(file.path.string());
    CHECK(b.extent == std::array<int, 3>{2, 3, 4});
    CHECK(b.slice_start == std::vector<int>{0, 1, 2});
    CHECK(b.fibre_start == std::vector<int>{0, 1, 3});
    CHECK(b.j_of == std::vector<int>{2, 0});
    CHECK(b.k_of == std::vector<int>{1, 0, 3});
    CHECK(b.value == std::vector<float>{3, 1, 2});
}

TEST_CASE("a damaged file is refused with its line and what was expected there")
{
    text_file const outside("attune_outside.mtx",
                            "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n");
    text_file const cut("attune_cut.mtx",
                        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n");
    text_file const zero("attune_zero.tns", "0 1 1 1\n");
    auto const said = [](auto&& read) {
        try {
            read();
        } catch (std::runtime_error const& e) {
            return std::string{e.what()};
        }
        return std::string{"accepted"};
    };
    CHECK(said([&] { (void)kernels::read_matrix_market(outside.path.string()); }) ==
          outside.path.string() +
              ":3: expected row, column and value of an entry inside the matrix");
    CHECK(said([&] { (void)kernels::read_matrix_market(cut.path.string()); }) ==
          cut.path.string() + ":3: expected 2 entries");
    CHECK(said([&] { (void)kernels::read_frostt(zero.path.string()); }) ==
          zero.path.string() + ":1: expected coordinates from 1 on");
}
