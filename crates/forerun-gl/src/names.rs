//! Names of one namespace: generated, reserved, in use.

use rustc_hash::FxHashMap;

/// A namespace. A generated name holds `None` until the object comes into being, usually at its first bind.
#[derive(Debug)]
pub struct Names<T> {
    map: FxHashMap<u32, Option<T>>,
    next: u32,
    free: Vec<u32>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Names { map: FxHashMap::default(), next: 1, free: Vec::new() }
    }
}

impl<T> Names<T> {
    /// An unused name, now reserved (glGen*).
    pub fn generate(&mut self) -> u32 {
        loop {
            let name = self.free.pop().unwrap_or_else(|| {
                let name = self.next;
                self.next = self.next.wrapping_add(1).max(1);
                name
            });
            if let std::collections::hash_map::Entry::Vacant(entry) = self.map.entry(name) {
                entry.insert(None);
                return name;
            }
        }
    }

    /// Whether glGen* gave this name, or an object has it.
    pub fn is_reserved(&self, name: u32) -> bool {
        self.map.contains_key(&name)
    }

    /// The object of that name.
    pub fn get(&self, name: u32) -> Option<&T> {
        self.map.get(&name)?.as_ref()
    }

    /// The object of that name.
    pub fn get_mut(&mut self, name: u32) -> Option<&mut T> {
        self.map.get_mut(&name)?.as_mut()
    }

    /// Gives the name an object, replacing what was there.
    pub fn insert(&mut self, name: u32, object: T) -> Option<T> {
        self.map.insert(name, Some(object)).flatten()
    }

    /// Frees the name (glDelete*) and gives back its object.
    pub fn remove(&mut self, name: u32) -> Option<T> {
        let object = self.map.remove(&name)?;
        self.free.push(name);
        object
    }

    /// All objects.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.map.iter().filter_map(|(name, object)| Some((*name, object.as_ref()?)))
    }

    /// All objects.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        self.map.iter_mut().filter_map(|(name, object)| Some((*name, object.as_mut()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn a_generated_name_is_reserved_but_no_object() {
        let mut names = Names::<u8>::default();
        let name = names.generate();
        assert!(names.is_reserved(name) && names.get(name).is_none());
        assert_ne!(names.generate(), name);
    }

    #[test]
    fn a_name_that_the_program_chose_is_not_generated() {
        let mut names = Names::default();
        names.insert(1, 7);
        assert_eq!(names.generate(), 2);
    }

    #[test]
    fn a_freed_name_may_come_back() {
        let mut names = Names::default();
        let name = names.generate();
        names.insert(name, 1);
        assert_eq!(names.remove(name), Some(1));
        assert!(!names.is_reserved(name));
        assert_eq!(names.generate(), name);
    }
}
