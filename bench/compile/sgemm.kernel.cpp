// C += A * B for row-major n x n matrices, n a multiple of every tile: a block of C in registers.
// No header of the language, so that what a header costs can be told from what the code costs.
#include <attune/tunable.hpp>

constexpr int rows = ATTUNE_TUNABLE(ROWS, 4);        // of the block
constexpr int columns = ATTUNE_TUNABLE(COLUMNS, 16); // of the block
constexpr int tile_k = ATTUNE_TUNABLE(TILE_K, 64);
constexpr bool columns_first = ATTUNE_TUNABLE(COLUMNS_FIRST, false);

static void block(float const* a, float const* b, float* c, int n)
{
    float sum[rows][columns] = {};
    for (int k = 0; k < tile_k; ++k)
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                sum[i][j] += a[i * n + k] * b[k * n + j];
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            c[i * n + j] += sum[i][j];
}

void sgemm(float const* a, float const* b, float* c, int n)
{
    for (int k = 0; k < n; k += tile_k)
        for (int x = 0; x < n; x += columns_first ? columns : rows)
            for (int y = 0; y < n; y += columns_first ? rows : columns) {
                int const i = columns_first ? y : x;
                int const j = columns_first ? x : y;
                block(a + i * n + k, b + k * n + j, c + i * n + j, n);
            }
}
