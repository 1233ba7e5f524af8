#!/bin/sh
# `toile bench`: what its benchmarks write, on cloths that are too small to measure anything.
. "$(dirname "$0")/command.sh"

words() {
    expect 2 bench
    one_sentence
    says 'expected what to measure: ccd, contact, hang, implicit, mapping, safety, schmitt, spring or wang'
    expect 2 bench hnag
    one_sentence
    says "did you mean 'hang'?"
    expect 2 bench xyzzyplugh
    says 'expected ccd, contact, hang, implicit, mapping, safety, schmitt, spring or wang'
    expect 2 bench spring -o
    one_sentence
    for sizes in 1 5000 3,x 3, ,3 3,,4 3.5 99999999999999999999; do
        expect 2 bench hang --sizes "$sizes"
        one_sentence
        says 'whole numbers from 2 to 4097'
    done
    expect 2 bench hang --solver jelly
    says "expected mass-spring, multilevel or implicit, found 'jelly'"
    expect 2 bench hang --threds 1
    says "did you mean '--threads'?"
    expect 2 bench schmitt --only everything
    says 'expected iterations, levels, strain, drape or speed'
    expect 2 bench schmitt --measure p98
    says 'expected mean, p99, p999 or max'
    for cpu in spring; do
        expect 2 bench $cpu --device gl
        one_sentence
        says "bench $cpu: --device: expected cpu, found 'gl'"
    done
    for any in hang implicit schmitt wang; do
        expect 2 bench $any --device jelly
        one_sentence
        says 'jelly'
    done
    echo >file
    expect 2 bench hang --quick --out file
    one_sentence
    expect 2 bench schmitt --quick --out /proc/nothing
    one_sentence
    expect 2 bench implicit --sizes 33
    one_sentence
    expect 2 bench implicit --quick --out file
    one_sentence
    expect 2 bench safety --quick --out file
    one_sentence
    expect 2 bench safety --run 1440
    one_sentence
    expect 2 bench safety --quality best
    says "is 'best', expected default, game or film"
    expect 2 bench contact --scenes nowhere --quick
    says "cannot read 'nowhere'"
    expect 2 bench contact --scenes "$TOILE_SOURCE_DIR/scenes/contact" --quick --out file
    one_sentence
    expect 2 bench wang --frames 1
    one_sentence
    expect 2 bench wang --quick --out file
    one_sentence
    missing bench
}

# columns FILE: every line of it has as many as the first
columns() {
    sed 's/"[^"]*"/quoted/g' "$1" |
        awk -F, 'NR == 1 {n = NF} NF != n || NF < 2 {bad = 1} END {exit bad || NR < 2}' || fail "$1: columns"
}

ccd() {
    expect 2 bench ccd --threads 2
    one_sentence
    expect 0 bench ccd --quick --out kept
    prints '^target '
    columns kept/ccd_*.csv
    [ "$(ls kept/ccd_*_vertices.svg kept/ccd_*_triangles.svg | wc -l)" -eq 2 ] || fail 'charts'
}

contact() {
    expect 0 bench contact --scenes "$TOILE_SOURCE_DIR/scenes/contact" --quick --threads 1 --out kept
    prints '^free_fall  *2  *882 '
    columns kept/contact_*.csv
    [ "$(wc -l <"$(echo kept/contact_*)")" -eq 18 ] || fail 'lines of the CSV'
}

hang() {
    expect 0 bench hang --quick --threads 1 --out kept --solver mass-spring
    prints '^ *9 x *9 '
    prints '^ *17 x *17 '
    columns kept/hang_*_mass-spring.csv
    [ "$(wc -l <"$(echo kept/hang_*)")" -eq 3 ] || fail 'lines of the CSV'
    prints '^wrote kept/hang_'
    expect 0 bench hang --quick --threads 1 --sizes 5 --solver mass-spring
    prints '^ *5 x *5 '
    columns bench/results/hang_*_mass-spring.csv
}

# 1025, 481 and 225 are 65, 31 and 15 when it is quick.
implicit() {
    expect 0 bench implicit --quick --threads 1 --out charts
    for series in implicit 'implicit, game' 'implicit, film' 'implicit, 2 % limit' multilevel 'Schmitt 2013' mass-spring; do
        prints "^$series  *[0-9]* x "
    done
    for what in 'work of the implicit solver' 'its stages' 'goals, threads: 1' \
        'lowest points .* from the finest' 'limit .* max at the end *2 %'; do
        prints "$what"
    done
    for goal in 'implicit *3 x *3 *0.30' 'game *3 x *3 *0.15' 'implicit *5 x *5 *1.50' 'game *5 x *5 *0.70' \
        'implicit *7 x *7 *4.00' 'implicit *9 x *9 *6.50' 'implicit *15 x *15 *20.00' 'implicit *31 x *31 *100.00'; do
        prints "$goal ms, seen"
    done
    expect 0 bench implicit --quick --threads 2 --out shared
    for what in 'goals, threads: 2' 'implicit *5 x *5 *1.00 ms' 'implicit *31 x *31 *55.00 ms'; do
        prints "$what"
    done
    columns charts/implicit_*.csv
    [ "$(wc -l <"$(echo charts/implicit_*.csv)")" -eq 39 ] || fail 'lines of the CSV'
    for chart in lowest mean p999 max time; do
        file=$(echo charts/implicit_*"_$chart.svg")
        [ -f "$file" ] || fail "there is no $file"
        grep -q '</svg>' "$file" || fail "$file is not whole"
        [ "$(grep -c 'class="series"' "$file")" -eq 6 ] || fail "lines of $file"
    done
}

schmitt() {
    expect 0 bench schmitt --quick --threads 1 --out charts
    for figure in 'Figure 9' 'Figure 10' 'Figure 11' Drape Speed 'at equal strain'; do
        prints "$figure"
    done
    prints '16.6 ms' # the paper's, beside ours
    columns charts/schmitt_*.csv
    for chart in iterations time iteration levels_9 levels_13 strain lowest mean; do
        file=$(echo charts/schmitt_*"_$chart.svg")
        [ -f "$file" ] || fail "there is no $file"
        grep -q '</svg>' "$file" || fail "$file is not whole"
    done
    expect 0 bench schmitt --quick --threads 1 --only strain --measure max --out one
    [ "$(cd one && echo * | wc -w)" -eq 2 ] || fail "found $(ls one)"
    columns one/schmitt_*_strain.csv
}

# Three runs of the grid, cloths that swing by a corner, and one of them again. Then some of all.
safety() {
    expect 0 bench safety --quick --every 480 --threads 1 --out kept
    prints '^cotton *1 *0 '
    prints '^denim *1 *0 '
    prints '^leather *1 *0 '
    prints '^corner *3 *0 '
    columns kept/safety_*.csv
    [ "$(wc -l <"$(echo kept/safety_*)")" -eq 4 ] || fail 'lines of the CSV'
    expect 0 bench safety --quick --run 480
    prints '^ 480 denim *1 1/240 corner *1 '
    expect 0 bench safety --quick --every 480 --quality game --out game
    prints 'quality game'
    if cmp -s game/safety_*.csv kept/safety_*.csv; then fail 'game is the same as the default'; fi
    expect 0 bench safety --quick --out kept
}

# Two sizes: two columns for the 5 x 5 cloak, and six for the next.
wang() {
    expect 0 bench wang --quick --threads 1 --out tables
    prints 'Table 7.1: walk'
    prints 'Table 7.2: sneak'
    prints '^ *9 x *9 .*(47-60)' # the thesis', beside ours
    columns tables/wang_*.csv
    [ "$(wc -l <"$(echo tables/wang_*)")" -eq 17 ] || fail 'lines of the CSV'
    for method in 'no collision' 'CPU collision' 'refined only' 'GPU collision' 'depth peeling' 'three views'; do
        [ "$(grep -c "\"$method\",9," "$(echo tables/wang_*)")" -eq 2 ] || fail "$method in the CSV"
    done
}

words
ccd
contact
hang
implicit
safety
schmitt
wang
