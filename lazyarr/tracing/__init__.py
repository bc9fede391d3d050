"""From functions to graphs: `jit`, what a function reads from around it (`guards`), and its graph (`capture`)."""
