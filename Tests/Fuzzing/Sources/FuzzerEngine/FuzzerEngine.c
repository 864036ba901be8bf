#include "FuzzerEngine.h"
