// resnet50 - ResNet-50 from its mathematics, all layers tuned on one budget, then run.
// Shows the time of a whole network. `resnet50 --full` takes the image of 224x224
// pixels, without words a small one, in seconds; `--evaluations N --seconds N`
// is the budget, `--repeats 10 --runs 1000` the timing.
#include "resnet50.hpp"
#include "run.hpp"

int main(int count, char** text)
{
    return networks::with_request(
        count, text, {.evaluations = 56, .seconds = 5}, [](networks::request const& asked) {
            return asked.is_full
                       ? networks::show<networks::resnet50<224>>("resnet50 224x224x3", asked)
                       : networks::show<networks::resnet50<32>>("resnet50 32x32x3", asked);
        });
}
// prints:
// resnet50 32x32x3: 57 calls of 28 layers, # G multiplications
// together: *
// latency # ms (# to #), median of 5 x 2 runs: # GFLOP/s
// right: all results within # of the plain nests'
