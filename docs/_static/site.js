// What the theme leaves out for people who use a keyboard or a screen reader.
document.addEventListener("DOMContentLoaded", () => {
  const set = (selector, attribute, value) =>
    document.querySelectorAll(selector).forEach(found => found.setAttribute(attribute, value));
  set("p.caption[role=heading]", "aria-level", "2");
  set("aside.sidebar-drawer", "aria-label", "All pages");
  set("aside.toc-drawer", "aria-label", "On this page");
  set("pre, .picture-frame, .table-wrapper", "tabindex", "0");  // they scroll where they are too wide
  document.querySelectorAll(".citation-list, .citation").forEach(found => found.removeAttribute("role"));
});
