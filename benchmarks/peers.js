// Times rot.js: one JSON line per map with its CPU time in ms and how much of the map is floor.
// The time is the least of as many as REPEATS says: others who use the machine make it only longer.
// node peers.js ALGORITHM WIDTH HEIGHT COUNT FIRST_SEED REPEATS, in a folder in which rot-js is installed.

const { createRequire } = require("module");
const ROT = createRequire(process.cwd() + "/")("rot-js");

const [name, ...rest] = process.argv.slice(2);
const [width, height, count, seed, repeats] = rest.map(Number);

const makers = {
    digger(paint) {
        new ROT.Map.Digger(width, height).create(paint);
    },
    cellular(paint) {
        const map = new ROT.Map.Cellular(width, height);
        map.randomize(0.5);
        for (let step = 0; step < 5; step++) map.create();
        map.connect(paint, 1);
    },
};
const floor = { digger: 0, cellular: 1 }[name]; // what the peer calls an open cell

function make(number) {
    ROT.RNG.setSeed(number);
    const cells = new Uint8Array(width * height);
    const start = process.cpuUsage();
    makers[name]((x, y, value) => { cells[y * width + x] = value === floor ? 1 : 0; });
    const used = process.cpuUsage(start);
    const open = cells.reduce((sum, cell) => sum + cell, 0);
    return { ms: (used.user + used.system) / 1000, open: open / cells.length };
}

make(seed);  // to warm up
for (let i = 0; i < count; i++) {
    const runs = Array.from({ length: repeats }, () => make(seed + i));
    console.log(JSON.stringify({ ms: Math.min(...runs.map((run) => run.ms)), open: runs[0].open }));
}
