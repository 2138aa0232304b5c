// C = A * B: C is n x m, A is k x m and B is k x n, each with rows of m, m and n floats.
//
//     c[j * m + i] = sum over l of a[l * m + i] * b[l * n + j]
//
// Parameters   C. Nugteren, "CLBlast: a tuned OpenCL BLAS library", IWOCL 2018, and its kernel
//              xgemm; the text is new. A work-group has MDIMC x NDIMC work-items and a tile of
//              MWG x NWG results. m, n and k are multiples of MWG, NWG and KWG.
#include <attune/tunable.hpp>

#define TILE_M ATTUNE_TUNABLE(MWG, 16)
#define TILE_N ATTUNE_TUNABLE(NWG, 16)
#define TILE_K ATTUNE_TUNABLE(KWG, 32)
#define UNROLL_K ATTUNE_TUNABLE(KWI, 2)
#define ITEMS_M ATTUNE_TUNABLE(MDIMC, 8)
#define ITEMS_N ATTUNE_TUNABLE(NDIMC, 8)
#define COPY_M ATTUNE_TUNABLE(MDIMA, 8) // work-items side by side when A is copied
#define COPY_N ATTUNE_TUNABLE(NDIMB, 8)
#define WIDTH_M ATTUNE_TUNABLE(VWM, 1) // floats of a vector
#define WIDTH_N ATTUNE_TUNABLE(VWN, 1)

#define ITEMS (ITEMS_M * ITEMS_N)
#define VECTORS_M (TILE_M / WIDTH_M)          // of a row of the tile of A
#define VECTORS_N (TILE_N / WIDTH_N)          // of a row of the tile of B
#define MINE_M (TILE_M / ITEMS_M / WIDTH_M)   // vectors of a work-item
#define MINE_N (TILE_N / ITEMS_N / WIDTH_N)
#define COPY_KA (TILE_K / (ITEMS / COPY_M))   // rows that a work-item copies
#define COPY_KB (TILE_K / (ITEMS / COPY_N))

#if WIDTH_M == 1
typedef float vector_m;
#elif WIDTH_M == 2
typedef float2 vector_m;
#elif WIDTH_M == 4
typedef float4 vector_m;
#else
typedef float8 vector_m;
#endif
#if WIDTH_N == 1
typedef float vector_n;
#elif WIDTH_N == 2
typedef float2 vector_n;
#elif WIDTH_N == 4
typedef float4 vector_n;
#else
typedef float8 vector_n;
#endif

kernel __attribute__((reqd_work_group_size(ITEMS_M, ITEMS_N, 1))) void
gemm(global float const* a_, global float const* b_, global float* c_, int m, int n, int k)
{
    global vector_m const* const a = (global vector_m const*)a_ + get_group_id(0) * VECTORS_M;
    global vector_n const* const b = (global vector_n const*)b_ + get_group_id(1) * VECTORS_N;
    int const row_a = m / WIDTH_M;
    int const row_b = n / WIDTH_N;
    int const im = get_local_id(0);
    int const in = get_local_id(1);
#if ATTUNE_TUNABLE(SA, 0)
    local vector_m tile_a[TILE_K * VECTORS_M];
#endif
#if ATTUNE_TUNABLE(SB, 0)
    local vector_n tile_b[TILE_K * VECTORS_N];
#endif
    vector_m sum[MINE_N * WIDTH_N][MINE_M];
    for (int j = 0; j < MINE_N * WIDTH_N; ++j)
        for (int i = 0; i < MINE_M; ++i)
            sum[j][i] = 0;

    for (int k0 = 0; k0 < k; k0 += TILE_K) {
#if ATTUNE_TUNABLE(SA, 0)
        for (int l = 0; l < COPY_KA; ++l)
            for (int i = 0; i < VECTORS_M / COPY_M; ++i) {
                int const item = in * ITEMS_M + im;
                int const row = item / COPY_M * COPY_KA + l;
                int const at = item % COPY_M + i * COPY_M;
                tile_a[row * VECTORS_M + at] = a[(k0 + row) * row_a + at];
            }
#endif
#if ATTUNE_TUNABLE(SB, 0)
        for (int l = 0; l < COPY_KB; ++l)
            for (int i = 0; i < VECTORS_N / COPY_N; ++i) {
                int const item = in * ITEMS_M + im;
                int const row = item / COPY_N * COPY_KB + l;
                int const at = item % COPY_N + i * COPY_N;
                tile_b[row * VECTORS_N + at] = b[(k0 + row) * row_b + at];
            }
#endif
#if ATTUNE_TUNABLE(SA, 0) || ATTUNE_TUNABLE(SB, 0)
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        for (int l0 = 0; l0 < TILE_K; l0 += UNROLL_K) {
#pragma unroll
            for (int l1 = 0; l1 < UNROLL_K; ++l1) {
                int const l = l0 + l1;
                vector_m left[MINE_M];
                vector_n right[MINE_N];
#pragma unroll
                for (int i = 0; i < MINE_M; ++i)
#if ATTUNE_TUNABLE(SA, 0)
                    left[i] = tile_a[l * VECTORS_M + im * MINE_M + i];
#else
                    left[i] = a[(k0 + l) * row_a + im * MINE_M + i];
#endif
#pragma unroll
                for (int j = 0; j < MINE_N; ++j)
#if ATTUNE_TUNABLE(SB, 0)
                    right[j] = tile_b[l * VECTORS_N + in * MINE_N + j];
#else
                    right[j] = b[(k0 + l) * row_b + in * MINE_N + j];
#endif
#pragma unroll
                for (int j = 0; j < MINE_N * WIDTH_N; ++j)
#pragma unroll
                    for (int i = 0; i < MINE_M; ++i)
                        sum[j][i] += left[i] * ((float const*)right)[j];
            }
        }
#if ATTUNE_TUNABLE(SA, 0) || ATTUNE_TUNABLE(SB, 0)
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    global vector_m* const c = (global vector_m*)c_ + get_group_id(0) * VECTORS_M;
    for (int j = 0; j < MINE_N * WIDTH_N; ++j)
        for (int i = 0; i < MINE_M; ++i)
            c[(get_group_id(1) * TILE_N + in * MINE_N * WIDTH_N + j) * row_a + im * MINE_M + i] =
                sum[j][i];
}
