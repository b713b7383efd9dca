(function () {
  "use strict";
  var root = document.documentElement, button = document.getElementById("theme"), order = ["system", "light", "dark"];
  function stored() { try { return localStorage.getItem("judgestats-theme") || "system"; } catch (e) { return "system"; } }
  function show(theme) {
    if (theme === "system") { root.removeAttribute("data-theme"); } else { root.setAttribute("data-theme", theme); }
    button.textContent = "Theme: " + theme;
  }
  var theme = order.indexOf(stored()) < 0 ? "system" : stored();
  button.hidden = false;
  show(theme);
  button.addEventListener("click", function () {
    theme = order[(order.indexOf(theme) + 1) % 3];
    try { localStorage.setItem("judgestats-theme", theme); } catch (e) { /* private window */ }
    show(theme);
  });
  document.querySelectorAll("table.sortable thead th").forEach(function (head, column) {
    var sorter = document.createElement("button");
    sorter.type = "button";
    sorter.textContent = head.textContent;
    head.textContent = "";
    head.appendChild(sorter);
    sorter.addEventListener("click", function () {
      var body = head.closest("table").tBodies[0], down = head.getAttribute("aria-sort") === "ascending";
      head.parentNode.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      function key(row) {
        var cell = row.cells[column], value = cell.getAttribute("data-value");
        return value === null ? cell.textContent : Number(value);
      }
      Array.from(body.rows).sort(function (a, b) {
        var x = key(a), y = key(b), numbers = typeof x === "number", both = typeof y === "number";
        var sign = numbers && both ? x - y : numbers !== both ? (numbers ? -1 : 1) : String(x).localeCompare(String(y));
        return down ? -sign : sign;
      }).forEach(function (row) { body.appendChild(row); });
    });
  });
})();
