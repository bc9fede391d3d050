"""Reports about evaluations: what ran, how long it took, what it will need, what fell back to NumPy.

    explain, plan_view   steps, times and memory of an evaluation, before it runs
    dot, graphviz        the graph as a drawing
    page, page_drawings  explanations for a browser: page.html, page.css, page.js; `layered` has the rows of the graph
    memory_report        memory of an evaluation, simulated from its plan
    profile, advice      where the time of a block went
    fallbacks, fallback_report    opaque calls, counted by name
    summary              an array and what it waits for
    observers, progress_bar       who receives evaluation records; the progress bar of long evaluations
    formatting           tables and numbers as text
    array_view, explanation_view  what notebooks show of them; other reports have that beside their text
    markup               what all of that looks like: panels, tables, bars, notebook.css
    shape_drawing, step_drawing   small drawings of shapes, and of the steps of a plan

Nothing here evaluates: plans come from `_core.introspect.dry_run`.
"""
