#include "cook/mapping.h"
